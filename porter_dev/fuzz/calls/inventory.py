"""Introspect a build inside an interpreter: modules, functions, types, methods."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np
from attrs import frozen

from porter.errors import FuzzFailed
from porter.run import Device, Launch, Program, run
from porter_dev.fuzz.calls import hostile_values
from porter_dev.fuzz.calls.recipes import EXPRESSIONS, STATEMENTS

_SIZES = Launch(heap=128 * 1024, pystack=8192, stack=32 * 1024, stdout=65536, timeout=60.0)
_LIST = "help('modules')"
_LOOK = """\
m=__import__(NAME)
for part in NAME.split('.')[1:]:m=getattr(m,part)
for n in dir(m):
 try:v=getattr(m,n)
 except Exception:continue
 t=type(v).__name__
 if t=='module':continue
 print('N',n,t)
 if t=='type':
  for a in dir(v):print('T',n,a)
"""
_ASK = """\
v=VALUE
t=type(v).__name__
for a in dir(v):print('T',t,a)
"""
_NAMED = re.compile(r"__import__\('(\w+)'\)")
# Types whose instances are not worth a call.
_NO_CALL = frozenset(["module", "str", "int", "bool", "float", "tuple", "dict", "NoneType", "list"])


@frozen
class Inventory:
    """The names that a build has.

    Attributes:
        callables: By module, its functions and types.
        attributes: By type name, attributes of the type and of its instances.
        types: By module, its types.
    """

    callables: dict[str, tuple[str, ...]]
    attributes: dict[str, tuple[str, ...]]
    types: dict[str, tuple[str, ...]]

    @property
    def count(self) -> int:
        """Number of functions and types of modules, and of attributes of types."""
        parts = (*self.callables.values(), *self.attributes.values())
        return sum(len(part) for part in parts)


def inventory(device: Device) -> Inventory:
    """Introspect `device`'s build. Raises FuzzFailed if nothing is found."""
    named = {name for text in (*EXPRESSIONS, *STATEMENTS) for name in _NAMED.findall(text)}
    modules = sorted({*_modules(device), *named, "builtins"})
    samples = [
        text for kind in ("small", "float", *_INSTANCES) for text in hostile_values.KINDS[kind]
    ]
    sources = [f"NAME={name!r}\n{_LOOK}" for name in modules]
    sources += [_sample(text) for text in samples]
    result = run(
        device, [*map(Program, sources)], len(sources), _SIZES, program_of=_each(len(sources))
    )
    callables: dict[str, list[str]] = {}
    attributes: dict[str, set[str]] = {}
    types: dict[str, list[str]] = {}
    for i in range(len(sources)):
        module = modules[i] if i < len(modules) else None
        for line in result.stdout[i].decode("utf-8", "replace").splitlines():
            what, *words = line.split(" ")
            if what == "N" and module is not None and words[1] not in _NO_CALL:
                callables.setdefault(module, []).append(words[0])
                if words[1] == "type":
                    types.setdefault(module, []).append(words[0])
            elif what == "T":
                attributes.setdefault(words[0], set()).add(words[1])
    if not callables:
        raise FuzzFailed("introspection found nothing to call", hint=repr(result.stderr[0][-500:]))
    return Inventory(_sorted(callables), _sorted(attributes), _sorted(types))


def _sorted(found: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(sorted(names)) for name, names in sorted(found.items())}


_INSTANCES = ("str", "buf", "seq", "iter", "fun", "io", "plain", "obj")


def _modules(device: Device) -> list[str]:
    """Return the modules that the interpreter itself lists."""
    listed = run(device, [_LIST], 1, _SIZES).stdout[0].decode("utf-8", "replace")
    columns = listed.partition("\nPlus any")[0].split()
    dotted = {name.replace("/", ".").removesuffix(".__init__") for name in columns}
    return sorted(name for name in dotted if re.fullmatch(r"[\w.]+", name))


def _sample(text: str) -> str:
    registers = "".join(f"v{i}=[{i}]\n" for i in range(hostile_values.REGISTERS))
    return registers + hostile_values.helpers(text) + f"VALUE={text}\n" + _ASK


def _each(n: int) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    return np.arange(n, dtype=np.uint32)
