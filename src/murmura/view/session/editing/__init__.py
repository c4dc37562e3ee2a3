"""Turns messages of visitors into changes: pure functions from scenario to scenario, and plain data."""
