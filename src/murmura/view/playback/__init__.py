"""Recorded runs and recorded sessions in the live view."""
