"""A launch on several devices: divide it, start each part, wait for all, join the results."""

from porter.run.launch.several.starting import start

__all__ = ["start"]
