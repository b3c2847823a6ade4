"""Requests that the service refuses: status, message and remedy.

`RefusedRequest` is raised by every module of the service; `guard` makes responses of it. A stopped,
full or failed service refuses too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from porter.base.untrusted import printable
from porter.errors import (
    ClusterFailed,
    LaunchFailed,
    LaunchInterrupted,
    NoCluster,
    NotEnoughMemory,
    PorterError,
    QueueFull,
)

CODES = {
    400: "The body is no JSON.",
    401: "The token is missing or wrong.",
    403: "The Host header names another host.",
    404: "There is no such endpoint.",
    405: "The endpoint has another method.",
    408: "The body did not arrive in time.",
    413: "The body is too large.",
    415: "The body's type is not JSON.",
    422: "A field is missing, unknown or invalid.",
    429: "The queue is full, or the client has reached a limit.",
    503: "The service starts, stops, or has lost its device.",
    504: "The program was not judged in time.",
}


class RefusedRequest(Exception):
    """A response that is no answer.

    Attributes:
        status: The HTTP status.
        code: A word for programs.
        message: The mistake and its place.
        hint: The remedy.
        headers: Further headers.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        hint: str | None = None,
        retry_after: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code = status, code
        self.message, self.hint = printable(message), hint and printable(hint)
        self.headers = dict(headers or {})
        if retry_after is not None:
            self.headers["Retry-After"] = str(retry_after)

    def body(self) -> dict[str, Any]:
        """Return the response as JSON."""
        # `detail` is the key that clients of FastAPI services read.
        error = {"code": self.code, "message": self.message, "hint": self.hint}
        return {"error": error, "detail": self.message}


def refusal_of(error: BaseException) -> RefusedRequest | None:
    """Return the response for an error of a program that was accepted; None for a bug."""
    if isinstance(error, RefusedRequest):
        return error
    if isinstance(error, QueueFull):
        return RefusedRequest(429, "queue_full", str(error), hint="Try again later.", retry_after=1)
    if isinstance(error, LaunchFailed | ClusterFailed | NoCluster):
        return RefusedRequest(
            503, "device_failed", f"the device failed: {error}", hint="Try again.", retry_after=5
        )
    if isinstance(error, NotEnoughMemory):
        return RefusedRequest(
            503, "not_enough_memory", str(error), hint="Ask for smaller limits.", retry_after=5
        )
    if isinstance(error, LaunchInterrupted):
        return RefusedRequest(503, "stopped", "the service was stopped")
    if isinstance(error, PorterError):
        return RefusedRequest(503, "unavailable", str(error), hint=error.hint, retry_after=5)
    return None
