"""Let frozen modules take precedence over C modules of the same name.

Upstream has two classes of built-in modules (py/builtinimport.c). `import` finds an *extensible*
one (`MP_REGISTER_EXTENSIBLE_MODULE`) only if `sys.path`, which includes the frozen modules, has no
module of this name. It finds any other one (`MP_REGISTER_MODULE`) before it searches `sys.path`.
In both cases `import uNAME` gives the C module (py/objmodule.c).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from porter.errors import UsageError
from porter.generate.frozen import FrozenFile

# Their objects are part of the virtual machine: a Python module cannot stand in for them.
FIXED = frozenset({"__main__", "builtins", "gc", "micropython", "sys"})
_REGISTRATION = re.compile(r"\bMP_REGISTER_(EXTENSIBLE_)?MODULE\(\s*MP_QSTR_(\w+)\s*,")


def let_frozen_extend(registrations: str, files: Iterable[FrozenFile]) -> str:
    """Return `registrations` with every built-in extensible that a frozen module is named after.

    Args:
        registrations: The calls of `MP_REGISTER_MODULE` and `MP_REGISTER_EXTENSIBLE_MODULE`, as
            upstream's makeqstrdefs.py collects them.
        files: The frozen modules.

    Raises:
        UsageError: A frozen module has the name of a built-in that cannot be extended, or the
            `uNAME` of one.
    """
    builtins = {match[2] for match in _REGISTRATION.finditer(registrations)}
    roots = {file.root: file for file in files}
    for name, file in sorted(roots.items()):
        if name in FIXED & builtins:
            raise UsageError(
                f"{file.path}: no frozen module can be called {name}: it is a part of the "
                "interpreter",
                hint="Rename the module.",
            )
        if name.startswith("u") and name[1:] in builtins:
            raise UsageError(
                f"{file.path}: `import {name}` gives the built-in module {name[1:]}, so a frozen "
                "module of this name is never imported",
                hint="Rename the module.",
            )

    def extensible(match: re.Match[str]) -> str:
        if match[2] not in roots or match[1]:
            return match[0]
        return f"MP_REGISTER_EXTENSIBLE_MODULE(MP_QSTR_{match[2]},"

    return _REGISTRATION.sub(extensible, registrations)
