"""GSD files: the molecular dynamics format that OVITO, freud and HOOMD read."""
