"""Flocks that learn."""
