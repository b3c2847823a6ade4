"""Sync, lock, patches."""
