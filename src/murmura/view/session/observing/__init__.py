"""Reads a watched flock: frames, measures, single agents, populations, births and deaths. Changes nothing."""
