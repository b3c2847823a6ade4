"""One launch on several devices: divided, started on each, waited for together, joined."""

from porter.run.launch.several.starting import start

__all__ = ["start"]
