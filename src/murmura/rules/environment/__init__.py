"""What the place asks of an animal: edges, obstacles, weather, daylight, home ranges."""
