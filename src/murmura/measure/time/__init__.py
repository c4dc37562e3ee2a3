"""What a flock does over time: errors of averages, and curves gathered frame by frame."""
