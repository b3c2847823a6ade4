"""The Mega-REPL: run each input in many interpreters and merge their outputs.

`Session` holds the interpreters, `Shell` executes what a user types. Like porter.run, the package
needs numpy and attrs, and CuPy for a GPU. The terminal needs prompt_toolkit, pictures need Pillow.
"""

from porter.repl.session import Answer, Session
from porter.repl.shell import Shell

__all__ = ["Answer", "Session", "Shell"]
