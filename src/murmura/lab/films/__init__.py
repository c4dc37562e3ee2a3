"""Films and pictures of runs, with the looks of the live view."""
