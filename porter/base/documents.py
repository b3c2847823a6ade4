"""Read JSON and TOML documents into attrs classes, which declare keys and types."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin

import attrs

from porter.errors import PorterError

if TYPE_CHECKING:
    from cattrs import Converter

T = TypeVar("T")
Hook = Callable[[Any, Any], Any]

_SCALARS = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}
_SHOWN = 60  # maximum characters of a value in a message


class _Unfit(Exception):
    """A value that does not fit; `hint` says which would."""

    def __init__(self, what: str, hint: str | None = None) -> None:
        super().__init__(what)
        self.hint = hint


def read_toml(
    path: Path, error: type[PorterError], what: str = "not TOML", hint: str | None = None
) -> dict[str, Any]:
    """Return the tables of a TOML file.

    Args:
        path: The file.
        error: The exception to raise if the file cannot be read or is no TOML.
        what: Its message.
        hint: Its hint.
    """
    document: dict[str, Any] = _parsed(path, error, what, hint, tomllib.loads)
    return document


def read_json(
    path: Path, error: type[PorterError], what: str = "not JSON", hint: str | None = None
) -> Any:
    """Return the value in a JSON file. Arguments as for `read_toml`."""
    return _parsed(path, error, what, hint, json.loads)


def _parsed(
    path: Path, error: type[PorterError], what: str, hint: str | None, parse: Callable[[str], Any]
) -> Any:
    try:
        return parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else problem
        raise error(f"{path}: {what}: {why}", hint=hint) from problem


def structured(document: object, shape: type[T], where: str | Path, error: type[PorterError]) -> T:
    """Convert parsed JSON or TOML to a type; reject unknown keys, missing keys and wrong types.

    Args:
        document: The parsed document.
        shape: An attrs class, a dict, a tuple or a scalar type.
        where: The document's name for messages.
        error: The exception to raise. Its message has the keys that lead to the wrong value, and
            the expected type.
    """
    from cattrs import BaseValidationError

    try:
        return _converter().structure(document, shape)
    except (_Unfit, BaseValidationError) as raised:
        place, problem = _first(raised)
        what = f"lacks {problem}" if isinstance(problem, KeyError) else str(problem)
        hint = problem.hint if isinstance(problem, _Unfit) else None
        raise error(": ".join((str(where), *place, what)), hint=hint) from None


def document_of(instance: attrs.AttrsInstance) -> dict[str, Any]:
    """Return the document that `structured` reads as `instance`; attribute `class_` is `class`."""
    return {name.removesuffix("_"): value for name, value in attrs.asdict(instance).items()}


def _first(raised: BaseException) -> tuple[list[str], BaseException]:
    """Return cattrs' first problem and the keys that lead to it (`skip 1`, `reason`)."""
    from cattrs import BaseValidationError

    place: list[str] = []
    while isinstance(raised, BaseValidationError):
        raised = raised.exceptions[0]
        for note in getattr(raised, "__notes__", ()):
            index = getattr(note, "index", None)
            if isinstance(index, int) and place:
                place[-1] += f" {index + 1}"
            elif not isinstance(raised, KeyError):  # a KeyError has the key itself
                place.append(str(getattr(note, "name", index)))
    return place, raised


@cache
def _converter() -> Converter:
    # Imported late: cattrs is slow to load, and not every command reads a document.
    from cattrs import Converter
    from cattrs.cols import homogenous_tuple_structure_factory, mapping_structure_factory
    from cattrs.gen import make_dict_structure_fn, override

    converter = Converter()
    for scalar, name in _SCALARS.items():
        converter.register_structure_hook(scalar, _scalar_hook(scalar, name))

    @converter.register_structure_hook_factory(attrs.has)
    def table(shape: Any, converter: Converter) -> Hook:
        # The attribute of a key that is a Python keyword has a trailing underscore.
        keys = {field.name: field.name.removesuffix("_") for field in attrs.fields(shape)}
        renamed: dict[str, Any] = {
            name: override(rename=key) for name, key in keys.items() if name != key
        }
        known = list(keys.values())
        hook = make_dict_structure_fn(shape, converter, **renamed)
        return _checked(hook, lambda v: _check_keys(v, known))

    @converter.register_structure_hook_factory(lambda shape: _origin(shape) is tuple)
    def several(shape: Any, converter: Converter) -> Hook:
        of = get_args(shape)[0]
        wanted = "strings" if of is str else "tables" if attrs.has(of) else "values"
        hook = homogenous_tuple_structure_factory(shape, converter)
        return _checked(hook, lambda v: _check_list(v, f"a list of {wanted}"))

    @converter.register_structure_hook_factory(lambda shape: _origin(shape) in (dict, Mapping))
    def mapping(shape: Any, converter: Converter) -> Hook:
        return _checked(mapping_structure_factory(shape, converter, dict), _check_table)

    return converter


def _origin(shape: Any) -> Any:
    return get_origin(shape)


def _scalar_hook(scalar: type, name: str) -> Hook:
    def hook(value: Any, _: Any) -> Any:
        fits = type(value) is scalar or (scalar is float and type(value) is int)
        if not fits:
            raise _Unfit(f"{name} is wanted, {_shown(value)} is not {name}")
        return value

    return hook


def _checked(hook: Hook, check: Callable[[Any], None]) -> Hook:
    def checked(value: Any, shape: Any) -> Any:
        check(value)
        return hook(value, shape)

    return checked


def _check_list(value: Any, wanted: str) -> None:
    if not isinstance(value, list):
        raise _Unfit(f"{wanted} is wanted, {_shown(value)} is not a list")


def _check_table(value: Any) -> None:
    if not isinstance(value, dict):
        raise _Unfit(f"a table is wanted, {_shown(value)} is not a table")


def _check_keys(value: Any, known: list[str]) -> None:
    _check_table(value)
    for key in value:
        if key not in known:
            inner = value[key][0] if isinstance(value[key], list) and value[key] else value[key]
            kind = "table" if isinstance(inner, dict) else "key"
            raise _Unfit(f"unknown {kind} {key}", f"Known: {', '.join(sorted(known))}.")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + " ..."
