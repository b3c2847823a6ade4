"""Fields of requests: validation of JSON values, and JSON schemas of the same classes.

Input: attrs classes whose fields come from `member`. `read` makes an instance of a JSON value;
`schema` describes it. `requests` and `sandbox_fusion` define the classes, `openapi` lists them.
"""

from __future__ import annotations

import json
import math
import types
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import attrs

from porter.errors import UsageError

T = TypeVar("T")
_SHOWN = 60  # characters of a refused value
_SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean"}
_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
_KNOWN_KEYS = 12  # names of fields in a message


class InvalidField(UsageError):
    """A JSON value does not fit its field."""


def member(
    text: str,
    *,
    default: Any = attrs.NOTHING,
    factory: Any = None,
    low: float | None = None,
    high: float | None = None,
    longest: int | None = None,
    positive: bool = False,
    choices: tuple[str, ...] = (),
    example: Any = None,
) -> Any:
    """Return a field of a request.

    Args:
        text: Its description.
        default: Its value in requests without it.
        factory: Makes that value.
        low: Minimum of a number.
        high: Maximum of a number.
        longest: Maximum number of characters or items.
        positive: Whether a number must be larger than 0.
        choices: The texts that are permitted; empty: all.
        example: A value for the documentation.
    """
    metadata = {
        "text": text,
        "low": low,
        "high": high,
        "longest": longest,
        "positive": positive,
        "choices": choices,
        "example": example,
    }
    if factory is not None:
        return attrs.field(factory=factory, metadata=metadata)
    return attrs.field(default=default, metadata=metadata)


def read(cls: type[T], value: Any, where: str = "", *, extra: bool = False) -> T:
    """Return an instance of `cls` from a JSON value.

    Args:
        cls: An attrs class whose fields come from `member`.
        value: The JSON value.
        where: The place of the value, for messages.
        extra: Whether unknown keys are ignored.

    Raises:
        InvalidField: A field is missing, unknown, or has a wrong type or value.
    """
    if not isinstance(value, dict):
        place = where or "the request"
        raise InvalidField(f"{place}: {shown(value)} is not an object", hint=_fields_hint(cls))
    hints, fields = _parts(cast(Any, cls))
    dot = f"{where}." if where else ""
    if not extra and (unknown := [name for name in value if name not in fields]):
        name = f"{dot}{_cut(unknown[0])}"
        raise InvalidField(f"{name}: there is no such field", hint=_fields_hint(cls))
    found = {}
    for name, one in fields.items():
        if name in value:
            found[name] = _checked(hints[name], value[name], f"{dot}{name}", one.metadata)
        elif one.default is attrs.NOTHING:
            raise InvalidField(f"{dot}{name}: this field is missing", hint=_fields_hint(cls))
    return cls(**found)


@cache
def _parts(cls: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the types and the fields of a class, by name."""
    return get_type_hints(cls), {one.name: one for one in attrs.fields(cls)}


def shown(value: Any) -> str:
    """Return a short text of a JSON value for a message."""
    try:
        return _cut(json.dumps(value))
    except (ValueError, RecursionError, TypeError):
        return type(value).__name__


def _cut(text: str) -> str:
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _fields_hint(cls: Any) -> str:
    names = [one.name for one in attrs.fields(cls)]
    more = ", ..." if len(names) > _KNOWN_KEYS else ""
    return f"It is an object with the fields {', '.join(names[:_KNOWN_KEYS])}{more}."


def _checked(kind: Any, value: Any, name: str, metadata: Any) -> Any:
    """Return `value` as `kind`, the annotation of its field. Raises InvalidField."""
    if kind is Any:
        return value
    if get_origin(kind) in (Union, types.UnionType):
        kinds = get_args(kind)
        if value is None and type(None) in kinds:
            return None
        others = [one for one in kinds if one is not type(None)]
        fitting = [one for one in others if _fits(one, value)]
        if not fitting:
            raise InvalidField(f"{name}: {shown(value)} is not {' or '.join(map(_word, others))}")
        return _checked(fitting[0], value, name, metadata)
    if attrs.has(kind):
        return read(kind, value, name, extra=getattr(kind, "EXTRA", False))
    if not _fits(kind, value):
        raise InvalidField(f"{name}: {shown(value)} is not {_word(kind)}")
    if get_origin(kind) is list:
        (item,) = get_args(kind)
        _check_length(value, name, metadata)
        return [_checked(item, one, f"{name}[{k}]", {}) for k, one in enumerate(value)]
    if get_origin(kind) is dict:
        _, item = get_args(kind)
        return {key: _checked(item, one, f"{name}.{_cut(key)}", {}) for key, one in value.items()}
    if kind is str:
        _check_length(value, name, metadata)
        choices = metadata.get("choices")
        if choices and value not in choices:
            raise InvalidField(f"{name}: {shown(value)} is not one of {', '.join(choices)}")
        return value
    if kind in (int, float):
        return _number(kind, value, name, metadata)
    return value


def _fits(kind: Any, value: Any) -> bool:
    """Return whether the JSON type of `value` fits a type without None."""
    if get_origin(kind) is list:
        return isinstance(value, list)
    if get_origin(kind) is dict or attrs.has(kind):
        return isinstance(value, dict)
    if kind is bool:
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if kind is float:
        return isinstance(value, int | float)
    if kind is int:  # JSON has one type of numbers: 1.0 is a whole number
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return kind is Any or isinstance(value, kind)


def _word(kind: Any) -> str:
    if attrs.has(kind):
        return "an object"
    if get_origin(kind) is list:
        return "a list"
    return "an object" if get_origin(kind) is dict else _WORDS[kind]


def _number(kind: Any, value: Any, name: str, metadata: Any) -> Any:
    try:
        number = kind(value)
    except OverflowError:
        number = math.inf
    low, high = metadata.get("low"), metadata.get("high")
    least = -math.inf if low is None else low
    most = math.inf if high is None else high
    if number < least:
        raise InvalidField(f"{name}: {shown(value)} is less than {least:,}, the minimum")
    if number > most:
        raise InvalidField(f"{name}: {shown(value)} is more than {most:,}, the maximum")
    if number in (math.inf, -math.inf):
        raise InvalidField(f"{name}: {shown(value)} is no finite number")
    if metadata.get("positive") and number <= 0:
        raise InvalidField(f"{name}: {shown(value)} is not larger than 0")
    return number


def _check_length(value: Any, name: str, metadata: Any) -> None:
    longest = metadata.get("longest")
    if longest is not None and len(value) > longest:
        unit = "characters" if isinstance(value, str) else "items"
        raise InvalidField(f"{name}: it has {len(value)} {unit}, the maximum is {longest}")


def schema(cls: Any, known: dict[str, Any]) -> dict[str, Any]:
    """Return a reference to the JSON schema of `cls`, and add the schema to `known` by name."""
    name = cls.__name__
    if name not in known:
        known[name] = {}  # a class that refers to itself finds it
        hints = get_type_hints(cls)
        properties = {}
        for one in attrs.fields(cls):
            properties[one.name] = _described(hints[one.name], one, known)
        found: dict[str, Any] = {
            "type": "object",
            "description": (cls.__doc__ or "").split("\n")[0],
            "properties": properties,
        }
        if not getattr(cls, "EXTRA", False):
            found["additionalProperties"] = False
        required = [one.name for one in attrs.fields(cls) if one.default is attrs.NOTHING]
        if required:
            found["required"] = required
        known[name] = found
    return {"$ref": f"#/components/schemas/{name}"}


def _described(kind: Any, one: Any, known: dict[str, Any]) -> dict[str, Any]:
    found = _type(kind, one.metadata, known)
    if "$ref" in found:
        found = {"allOf": [found]}
    found["description"] = one.metadata["text"]
    if one.default is not attrs.NOTHING and not isinstance(one.default, attrs.Factory):  # type: ignore[arg-type]
        found["default"] = one.default
    if one.metadata["example"] is not None:
        found["example"] = one.metadata["example"]
    return found


def _type(kind: Any, metadata: Any, known: dict[str, Any]) -> dict[str, Any]:
    if kind is Any:
        return {}
    if get_origin(kind) in (Union, types.UnionType):
        parts = [one for one in get_args(kind) if one is not type(None)]
        kinds = [_type(one, metadata, known) for one in parts]
        if len(parts) < len(get_args(kind)):
            kinds.append({"type": "null"})
        return {"anyOf": kinds}
    if attrs.has(kind):
        return schema(kind, known)
    if get_origin(kind) is list:
        found = {"type": "array", "items": _type(get_args(kind)[0], {}, known)}
        longest = metadata.get("longest")
        return found if longest is None else {**found, "maxItems": longest}
    if get_origin(kind) is dict:
        return {"type": "object", "additionalProperties": _type(get_args(kind)[1], {}, known)}
    return _scalar(kind, metadata)


def _scalar(kind: Any, metadata: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"type": _SCALARS[kind]}
    names = {"longest": "maxLength"} if kind is str else {"low": "minimum", "high": "maximum"}
    found.update(
        (name, metadata[key]) for key, name in names.items() if metadata.get(key) is not None
    )
    if metadata.get("positive"):
        found["exclusiveMinimum"] = 0
    if metadata.get("choices"):
        found["enum"] = list(metadata["choices"])
    return found
