"""What pictures of a plane show besides the flock: the sky, the scenery, other animals and the wind."""
