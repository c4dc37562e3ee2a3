"""Evolving populations: genome and body, stances, combat, remains, reproduction, ageing.

Each file is one rule or one table. Rules communicate through columns of the agents, never by calls.
"""
