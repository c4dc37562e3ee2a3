"""Populations that adapt (document 003): genome and body, stances, combat, remains, reproduction, ageing.

Each file is one rule or one table. They know each other by the columns they leave in an agent, never by a call.
"""
