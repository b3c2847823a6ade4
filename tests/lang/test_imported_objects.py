"""A program puts objects into sys.modules that are no modules, and imports from them."""

from __future__ import annotations

import numpy as np
import pytest

from porter.run import Device, Launch, Program, run

OBJECTS = {
    "int": "5",
    "list": "[]",
    "type": "type",
    "function": "len",
    "package without a name": "type('C', (), {'__path__': 'x'})()",
    "package with numbers": "type('C', (), {'__path__': 5, '__name__': 6})",
    "any attribute": "type('D', (), {'__getattr__': lambda s, n: 5})()",
}
IMPORTS = ("import p", "import p.q", "import p.q.r as z", "from p import q", "from p import *")
TRYING = "import sys\nsys.modules['p'] = {}\ntry: {}\nexcept Exception: pass\nprint('end')"


@pytest.mark.parametrize("name", OBJECTS)
def test_importing_from_an_object_ends_well(any_device: Device, name: str) -> None:
    # `import *` of a function is a syntax error, so each import is a program of its own.
    programs = [Program(TRYING.format(OBJECTS[name], text).encode(), "t") for text in IMPORTS]
    which = np.arange(len(programs), dtype=np.uint32)
    result = run(any_device, programs, len(programs), Launch(stdout=64), program_of=which)
    assert [result.stdout[i] for i in range(len(programs))] == [b"end\n"] * len(programs)


def test_the_message_names_what_is_missing(any_device: Device) -> None:
    source = TRYING.replace("except Exception: pass", "except ImportError as e: print(e)")
    text = source.format(OBJECTS["package without a name"], "from p import q")
    result = run(any_device, [Program(text.encode(), "t")], 1, Launch(stdout=64))
    assert result.stdout[0].startswith(b"cannot import name 'q' from ")
