"""Runs on disk: recorded, read, resumed, branched."""
