"""Tracked animals: files of tracking programs read, cleaned and kept as runs."""
