"""The Mega-REPL: one line to many interpreters, their answers merged.

`Session` holds the interpreters, `Shell` what a user types at them. As porter.run it needs numpy
and attrs (and CuPy for a GPU); prompt_toolkit for a terminal, Pillow for pictures.
"""

from porter.repl.answer import Answer
from porter.repl.session import Session
from porter.repl.shell import Shell

__all__ = ["Answer", "Session", "Shell"]
