"""The HTTP and WebSocket server, its access control, and a client for tests and benchmarks."""
