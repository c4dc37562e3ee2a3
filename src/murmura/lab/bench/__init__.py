"""How fast a step is, beside what a careful NumPy programmer would write."""
