"""Films of worlds with a depth: camera, picture, scenery, hunters and the bodies of agents."""
