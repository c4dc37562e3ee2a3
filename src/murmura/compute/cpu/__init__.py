"""The step on all CPU cores: traced to LLVM for sixteen lanes, with an index around it. Knows no rule."""

from murmura.compute.cpu.backend import BackendCpu, usual_threads

__all__ = ["BackendCpu", "usual_threads"]
