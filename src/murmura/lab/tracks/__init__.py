"""Tracked animals: reads files of tracking programs, cleans them and stores them as runs."""
