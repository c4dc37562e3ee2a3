"""Headless questions: runs on disk, and how fast things are.

Only loads scenarios, steps and reads; knows nothing of the live view.
"""
