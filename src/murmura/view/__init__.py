"""A window onto a simulation: frames out, commands in. Server, session and wire format; the page is in web/.

Only loads scenarios, steps and reads; knows nothing of the lab.
"""
