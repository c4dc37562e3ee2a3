"""GSD files: the container of molecular dynamics that OVITO, freud and HOOMD read."""
