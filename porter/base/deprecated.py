"""Deprecated names: old names of public options, arguments, attributes, keys and variables.

A renamed public name keeps working under its old name until the release REMOVAL. The first use of
an old name in a process prints a warning on stderr. The functions of this module make the aliases;
porter/cli/_deprecated.py makes those of command line options. tests/base/test_deprecated.py has a
row for each alias.

A value that is given under both names is an error: TypeError for an argument, UsageError for
options, variables and TOML keys, NotBuilt for a `build.json` whose two values differ.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from porter.base.progress import to_stderr

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

REMOVAL = "0.2.0"  # the release without the old names

# Keys of BuildConfig: in TOML files, environment variables (PORTER_FENCES) and build.json.
RENAMED_SETTINGS = {"fences": "bounds_checks"}

_warned: set[tuple[str, str]] = set()


def warn_deprecated(old: str, new: str) -> None:
    """Print a warning on stderr, once per process: `old` is deprecated, `new` replaces it."""
    if (old, new) not in _warned:
        _warned.add((old, new))
        to_stderr(f"warning: {old} is deprecated: use {new}; porter {REMOVAL} removes the old name")


def both_names(old: str, new: str) -> str:
    """Return the message for a value that is given under its old and its new name."""
    return f"{old} is the old name of {new}: give only {new}"


def renamed_arguments(**names: str) -> Callable[[F], F]:
    """Return a decorator that lets a function accept old names of keyword arguments.

    Args:
        names: The new name of each old name.

    Raises:
        TypeError: A call has an argument under both names.
    """

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            owner = function.__qualname__.removesuffix(".__init__")
            return function(*args, **_with_new_arguments(owner, kwargs, names))

        decorated: Any = wrapper
        result: F = decorated
        return result

    return decorate


def _with_new_arguments(
    owner: str, arguments: Mapping[str, Any], names: Mapping[str, str]
) -> dict[str, Any]:
    """Return the arguments of a call with new names instead of old ones, and warn."""
    result = dict(arguments)
    for old in [name for name in names if name in arguments]:
        new = names[old]
        if new in arguments:
            raise TypeError(f"{owner}: {both_names(old, new)}")
        warn_deprecated(f"{owner}({old}=...)", f"{new}=")
        result[new] = result.pop(old)
    return result


def renamed_fields(**names: str) -> Callable[[type[T]], type[T]]:
    """Return a decorator that gives an attrs class old names of its fields.

    The constructor accepts an old name as an argument, and instances have it as a property.
    attrs.evolve(instance, old=value) passes both names, so it raises TypeError, too.

    Args:
        names: The new name of each old name.

    Raises:
        TypeError: The constructor gets a field under both names.
    """

    def decorate(cls: type[T]) -> type[T]:
        plain: Callable[..., None] = cls.__init__

        @functools.wraps(plain)
        def init(self: T, *args: Any, **kwargs: Any) -> None:
            plain(self, *args, **_with_new_arguments(cls.__name__, kwargs, names))

        changed: Any = cls
        changed.__init__ = init
        for old, new in names.items():
            setattr(cls, old, renamed_attribute(cls.__name__, old, new))
        return cls

    return decorate


def renamed_attribute(owner: str, old: str, new: str) -> property:
    """Return a read-only property `old` that has the value of the attribute `new`.

    Args:
        owner: The name of the class, for the warning.
        old: The deprecated name.
        new: The attribute to read.
    """

    def read(self: object) -> Any:
        warn_deprecated(f"{owner}.{old}", new)
        return getattr(self, new)

    return property(read, doc=f"Deprecated name of `{new}`.")


def renamed_names(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module whose names have changed.

    Args:
        module: The module's `__name__`.
        names: The new name of each old name, in the same module.
    """

    def getattribute(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warn_deprecated(f"{module}.{name}", names[name])
        return getattr(sys.modules[module], names[name])

    return getattribute


class RenamedKeys(dict[str, Any]):
    """A dict from JSON that also answers to old keys.

    Only reading an old key warns. `in`, iteration and equality see new keys only.

    Args:
        values: The items.
        names: The new key of each old key.
    """

    def __init__(self, values: Mapping[str, Any], names: Mapping[str, str]) -> None:
        super().__init__(values)
        self._names = names

    def __missing__(self, key: str) -> Any:
        if key not in self._names:
            raise KeyError(key)
        warn_deprecated(f"the key {key!r}", repr(self._names[key]))
        return self[self._names[key]]

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of `key`, an old or a new one, or `default` without either."""
        try:
            return self[key]
        except KeyError:
            return default

    def __reduce__(self) -> tuple[Any, ...]:
        return (RenamedKeys, (dict(self), dict(self._names)))


def with_old_keys(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return `values` for a JSON document, with each renamed key under its old name as well."""
    old = {old: values[new] for old, new in names.items() if new in values}
    return {**values, **old}


def with_new_keys(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return `values` from a JSON document, with new keys instead of old ones.

    Documents that porter writes have both keys, with equal values (`with_old_keys`).

    Raises:
        ValueError: The values under both keys differ.
    """
    for old, new in names.items():
        if old in values and new in values and values[old] != values[new]:
            raise ValueError(both_names(old, new))
    renamed = {new: values[old] for old, new in names.items() if old in values}
    return {**renamed, **{key: value for key, value in values.items() if key not in names}}
