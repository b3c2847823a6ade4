"""Read bodies of requests, and JSON in them, from clients that may be hostile.

A body is refused if it is too large, arrives too slowly, or would exceed the memory for bodies of
all requests. JSON is refused if it is not what RFC 8259 and I-JSON permit: other encodings than
UTF-8, NaN, repeated names, numbers of thousands of digits, nesting without end.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from attrs import define
from starlette.requests import Request

from porter.serve.refusals import RefusedRequest

JSON_TYPES = ("application/json",)
LINE_TYPES = ("application/x-ndjson", "application/jsonl", "application/x-jsonlines")
DISCARDING = 2.0  # seconds
_SHOWN = 80  # characters of a message about JSON


class ClientLeft(Exception):
    """The client has closed the connection."""


@define(eq=False)
class HeldBytes:
    """The memory for bodies of all requests in progress.

    Attributes:
        most: Maximum bytes.
        held: Bytes now.
    """

    most: int
    held: int = 0

    @contextmanager
    def hold(self) -> Iterator[BodyShare]:
        """Yield the share of a request, which ends with the block."""
        share = BodyShare(self)
        try:
            yield share
        finally:
            self.held -= share.size


@define(eq=False)
class BodyShare:
    """The part of `HeldBytes` that one request has."""

    total: HeldBytes
    size: int = 0

    def grow(self, size: int) -> None:
        """Take bytes. Raises RefusedRequest (429)."""
        if self.total.held + size > self.total.most:
            raise RefusedRequest(
                429,
                "too_many_bytes",
                "the bodies of all requests in progress need too much memory",
                hint="Try again later, or send smaller bodies.",
                retry_after=1,
            )
        self.total.held += size
        self.size += size


def check_type(request: Request, types: tuple[str, ...]) -> None:
    """Refuse a body whose Content-Type is not one of `types` (415).

    A page of another origin can send a form or plain text to a local service without the browser's
    permission; it cannot send JSON.
    """
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given not in types:
        raise RefusedRequest(
            415,
            "wrong_content_type",
            f"Content-Type: {given[:_SHOWN] or 'none'} is not {types[0]}",
            hint=f"Send the header 'Content-Type: {types[0]}'.",
        )


async def read_body(request: Request, most: int, seconds: float, share: BodyShare) -> bytes:
    """Return the body of a request.

    Raises:
        RefusedRequest: It is larger than `most` bytes (413), takes more than `seconds` (408), or
            there is no memory for it (429).
        ClientLeft: The client has closed the connection.
    """
    told = request.headers.get("content-length", "")
    parts: list[bytes] = []
    more = True
    try:
        if told.isascii() and told.isdecimal() and (len(told) > len(str(most)) or int(told) > most):
            _refuse_size(most)
        async with asyncio.timeout(seconds):
            while more:
                message = await request.receive()
                if message["type"] == "http.disconnect":
                    raise ClientLeft
                more = message.get("more_body", False)
                part = message.get("body", b"")
                if share.size + len(part) > most:
                    _refuse_size(most)
                share.grow(len(part))
                parts.append(part)
        return b"".join(parts)
    except RefusedRequest:
        if more:
            await _discard(request)
        raise
    except TimeoutError:
        raise RefusedRequest(
            408, "body_timeout", f"the body did not arrive within {seconds:g} s"
        ) from None


async def _discard(request: Request) -> None:
    """Receive the rest of a refused body for some time.

    A connection that is closed with unread data is reset, and clients that send a body before they
    read the answer, as `http.client` does, would not see it.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(DISCARDING):
            while True:
                message = await request.receive()
                if message["type"] == "http.disconnect" or not message.get("more_body", False):
                    return


def _refuse_size(most: int) -> NoReturn:
    raise RefusedRequest(
        413,
        "too_large",
        f"the body is larger than {most} bytes",
        hint="Send several requests, or let the service start with a larger --max-body.",
        headers={"Connection": "close"},
    )


def json_of(body: bytes, what: str = "the body") -> Any:
    """Return the value of a JSON text. Raises RefusedRequest (400)."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_json(what, f"byte {error.start} is not UTF-8") from error
    try:
        return _DECODER.decode(text)
    except RecursionError as error:
        raise _not_json(what, "it is nested too deep") from error
    except ValueError as error:
        raise _not_json(what, str(error)) from error


def _not_json(what: str, why: str) -> RefusedRequest:
    return RefusedRequest(400, "not_json", f"{what} is not JSON: {why[:_SHOWN]}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"the name {json.dumps(twice)[:_SHOWN]} occurs twice in an object")
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a value of JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)


def encode(value: Any) -> bytes:
    """Return the JSON text of an answer, without line breaks."""
    return json.dumps(value, separators=(",", ":")).encode("ascii")
