"""Films of 3-D worlds: camera, picture, scenery, hunters and the bodies of agents."""
