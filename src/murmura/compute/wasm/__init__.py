"""The CPU kernel as a WebAssembly module, for pages that simulate without Python.

Its portable arithmetic gives the same bits in every browser as `cpu` gives natively.
"""
