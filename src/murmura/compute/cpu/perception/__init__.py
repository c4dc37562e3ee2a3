"""What agents perceive and do, emitted for sixteen lanes."""
