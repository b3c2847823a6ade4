"""Fetch upstream releases and verify them against the lock, before any stage reads them."""
