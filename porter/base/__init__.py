"""Helpers for all components: files, processes, locks, names, sizes. It imports no component."""
