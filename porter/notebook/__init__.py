"""`%load_ext porter`: run cells of a notebook on many interpreters (docs/how-to/notebook.md).

IPython loads this package on demand. Only this package imports IPython, and no other module imports
it at start.
"""

from porter.notebook.magics import interpreters, load, unload

__all__ = ["interpreters", "load", "unload"]
