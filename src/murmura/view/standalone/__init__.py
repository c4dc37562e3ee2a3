"""Pages that need no server: one file with the page, a flock's kernels, recorded frames, and nothing from elsewhere.

The page is the live view's own; a script in it (web/src/standalone) takes the place of the server.
"""
