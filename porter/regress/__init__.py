"""Regression runs: take a release through every stage and compare it with a stored baseline."""
