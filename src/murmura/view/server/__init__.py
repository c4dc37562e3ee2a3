"""The HTTP and WebSocket server, who may talk to it, and a client for tests and benchmarks."""
