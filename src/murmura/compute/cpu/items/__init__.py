"""Hunters, food and births in the CPU kernel: reports of agents, and updates."""
