"""Reference trajectories of published models that other programs can run against, and the judge of theirs."""
