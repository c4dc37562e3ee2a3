"""Targets of the tracer: NumPy computes at once, LLVM and C write code. They know no rule and no kernel."""
