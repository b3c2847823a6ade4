"""Fetching upstream releases, and verifying them against the lock."""
