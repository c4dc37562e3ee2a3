"""Files that survive a crash: written whole or not at all, opened without following links, locked for one process."""
