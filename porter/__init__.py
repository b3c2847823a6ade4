"""porter: from an upstream MicroPython release to a Python interpreter per GPU thread."""

__version__ = "0.1.0"
