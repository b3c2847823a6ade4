"""Fetching upstream releases, and knowing that what is there is what was meant."""
