"""The live view of a simulation: frames out, commands in. Server, session and wire format; the page is in web/.

It loads scenarios, steps and reads simulations, and does not depend on the lab.
"""
