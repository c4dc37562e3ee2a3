"""The environment: edges, obstacles, weather, daylight, home ranges."""
