"""Pages that need no server: one self-contained file with the page, a flock's kernels and recorded frames.

It is the page of the live view; a script in it (web/src/standalone) replaces the server.
"""
