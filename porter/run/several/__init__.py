"""Composite devices: `Several`, and its launches, which are divided among the members."""
