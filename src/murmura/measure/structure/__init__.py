"""How the members of a flock are arranged: distances, shape, groups, correlations, and where neighbours are."""
