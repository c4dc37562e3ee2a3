"""What CUDA and WebGPU share: the trace of one agent's step, the fields of a kernel, and its arrays."""
