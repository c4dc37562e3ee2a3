"""Turns messages of pages into changes: pure functions from scenario to scenario, and plain data."""
