"""What our laboratory adds to Murmura. Importing the package registers it; scenarios/ is found by name."""

from flocklab import hunters, measures, rules

__all__ = ["hunters", "measures", "rules"]
