"""Settings of the service: addresses, limits of clients and of programs."""

from __future__ import annotations

import ipaddress
from typing import Any

from attrs import field, frozen

from porter.base.arguments import MOST_SECONDS, seconds, whole
from porter.base.sizes import KIB, MIB, parse_size
from porter.errors import UsageError
from porter.evaluation.options import MAX_HEAP, STEPS
from porter.fallback import Fallback, fallback_of

HOST, PORT = "127.0.0.1", 8080
DEADLINE = 10.0  # seconds of a call, besides its steps
LOCAL_NAMES = ("localhost", "ip6-localhost")
_MOST_COUNT = 2**31
_MOST_MEMORY = 2**40


def _whole(low: int, high: int = _MOST_COUNT) -> Any:
    def convert(value: Any, _: Any, one: Any) -> int:
        return whole(value, one.name, low, high)

    return convert


def _size(value: Any, _: Any, one: Any) -> int:
    size = parse_size(value, one.name)
    if not KIB <= size <= _MOST_MEMORY:
        raise UsageError(f"{one.name}: {size} bytes are not from 1K to 1024G")
    return size


def _seconds(value: Any, _: Any, one: Any) -> float:
    number = seconds(value, one.name, MOST_SECONDS)
    if not number:
        raise UsageError(f"{one.name}: 0 seconds are no time")
    return number


def _own(convert: Any, default: Any) -> Any:
    """Return a field whose converter gets the field, for its name in messages."""
    from attrs import Converter

    return field(default=default, converter=Converter(convert, takes_self=True, takes_field=True))


@frozen(kw_only=True)
class ServeSettings:
    """The settings of a service. Raises UsageError, WrongType.

    Attributes:
        host: The address to listen on.
        port: The port; 0: a free one.
        queue: Accepted programs that are not answered yet.
        client_requests: Requests of a client at a time.
        client_rows: Rows of a client per second; 0: no limit.
        connections: Open connections.
        max_body: Bytes of a request's body.
        max_batch: Bytes of a batch's body.
        max_held: Bytes of the bodies of all requests in progress.
        max_cases: Cases of a program.
        max_work: Steps of all cases of a program.
        max_program: Bytes of a program with its tests. Steps do not bound its compilation, which
            takes seconds for hundreds of kilobytes with different names.
        max_steps: Largest limit of steps that a request may ask for.
        max_deadline: Largest limit of seconds of a call, likewise.
        max_heap: Largest heap, likewise.
        max_stdout: Largest buffer of output, likewise.
        steps: Steps of a call of a request without an own limit.
        deadline: Seconds of a call, likewise.
        timeout: Seconds until an accepted request that waits or runs is answered with status 504.
        body_timeout: Seconds to receive a body, or to take a part of an answer.
        window: Lines of a batch that wait or run at a time.
        fallback: How CPython runs programs that are UNSUPPORTED; None: it does not.
    """

    host: str = HOST
    port: int = _own(_whole(0, 65535), PORT)
    queue: int = _own(_whole(1), 20_000)
    client_requests: int = _own(_whole(1), 1024)
    client_rows: int = _own(_whole(0), 0)
    connections: int = _own(_whole(1), 4096)
    max_body: int = _own(_size, 8 * MIB)
    max_batch: int = _own(_size, 64 * MIB)
    max_held: int = _own(_size, 512 * MIB)
    max_cases: int = _own(_whole(1), 10_000)
    max_work: int = _own(_whole(1, 2**62), 200 * STEPS)
    max_program: int = _own(_size, 256 * KIB)
    max_steps: int = _own(_whole(1, 2**62), 10 * STEPS)
    max_deadline: float = _own(_seconds, 60.0)
    max_heap: int = _own(_size, 4 * MAX_HEAP)
    max_stdout: int = _own(_size, MIB)
    steps: int = _own(_whole(1, 2**62), STEPS)
    deadline: float = _own(_seconds, DEADLINE)
    timeout: float = _own(_seconds, 120.0)
    body_timeout: float = _own(_seconds, 60.0)
    window: int = _own(_whole(1), 1024)
    fallback: Fallback | None = field(default=None, converter=fallback_of)

    def __attrs_post_init__(self) -> None:
        for name in ("steps", "deadline"):
            if getattr(self, name) > (most := getattr(self, f"max_{name}")):
                raise UsageError(f"{name}: {getattr(self, name)} is more than max_{name}, {most}")

    @property
    def is_local(self) -> bool:
        """Only this machine can connect (bool)."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Return whether `host` is a name or an address of the loopback interface."""
    if host.lower() in LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
