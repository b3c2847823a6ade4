"""What a release does to porter: every stage of a release, compared with a stored baseline."""
