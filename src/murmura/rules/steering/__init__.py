"""Steering of single animals: goals, Reynolds' formula, cruising speed."""
