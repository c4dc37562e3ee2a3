"""The sorted flock: rows and bins, and the runs of candidates around an agent."""
