"""Targets of the tracer: NumPy evaluates immediately; LLVM, C and WGSL emit code. They know no rule and no kernel."""
