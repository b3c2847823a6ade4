"""`%load_ext porter`: cells of a notebook that run on many interpreters (docs/notebook.md).

IPython loads it, so only here and below is IPython imported, and nothing imports this at its start.
"""

from porter.notebook.extension import interpreters, load, unload

__all__ = ["interpreters", "load", "unload"]
