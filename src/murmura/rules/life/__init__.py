"""Energy, food, mates, young and panic."""
