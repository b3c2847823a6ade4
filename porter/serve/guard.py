"""The middleware around all endpoints: clients, errors, metrics and logs.

Order of the checks of a request: Host, token, drain, limit of the client. Endpoints find the client
and the request's id in `request.state`.
"""

from __future__ import annotations

import itertools
import logging
import re
import secrets
import time
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from porter.serve.bodies import ClientLeft, encode
from porter.serve.clients import Clients
from porter.serve.logs import event
from porter.serve.metrics import ServiceMetrics
from porter.serve.refusals import RefusedRequest, refusal_of
from porter.serve.settings import is_loopback

OPEN = ("/healthz", "/readyz", "/v1/ping", "/openapi.json", "/docs")  # without a token
CLIENT_LEFT = 499  # as other servers log it; no response is sent
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_RUN = secrets.token_hex(4)  # ids of different runs of the service differ
_NUMBERS = itertools.count(1)


class ServeGuard:
    """Admits requests, and reports their ends.

    Args:
        app: The endpoints.
        clients: The clients.
        metrics: The metrics.
        paths: The paths of endpoints; metrics count all others as "other".
        local_only: Whether the Host header must name the loopback interface. A page whose name
            resolves to 127.0.0.1 would otherwise read answers of a service without a token.

    Attributes:
        draining: Whether new work is refused.
        active: Requests for work in progress.
    """

    def __init__(
        self,
        app: ASGIApp,
        clients: Clients,
        metrics: ServiceMetrics,
        paths: frozenset[str],
        *,
        local_only: bool,
    ) -> None:
        self._app, self._clients, self._metrics = app, clients, metrics
        self._paths, self._local_only = paths, local_only
        self.draining = False
        self.active = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a connection of ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(scope, send)
        self._metrics.in_progress.inc()
        try:
            await self._admitted(exchange, receive)
        except ClientLeft:
            exchange.status = CLIENT_LEFT
        except Exception as error:
            await self._refuse(exchange, error)
        finally:
            self._metrics.in_progress.dec()
            self._report(exchange)

    async def _admitted(self, exchange: _Exchange, receive: Receive) -> None:
        scope = exchange.scope
        headers = dict(scope["headers"])
        if self._local_only:
            _check_host(headers.get(b"host", b"").decode("latin-1"))
        if scope["path"] in OPEN:
            await self._app(scope, receive, exchange.send)
            return
        address = (scope.get("client") or ("", 0))[0]
        client = self._clients.client_of(headers.get(b"authorization"), address)
        exchange.client = scope["state"]["client"] = client
        if scope["method"] != "POST":
            await self._app(scope, receive, exchange.send)
            return
        if self.draining:
            raise RefusedRequest(
                503,
                "stopping",
                "the service is stopping and accepts no more requests",
                retry_after=5,
                headers={"Connection": "close"},
            )
        client.begin()
        self.active += 1
        try:
            await self._app(scope, receive, exchange.send)
        finally:
            self.active -= 1
            client.end()

    async def _refuse(self, exchange: _Exchange, error: Exception) -> None:
        if isinstance(error, HTTPException):
            allowed = dict(error.headers or {})
            word = "not_found" if error.status_code == 404 else "wrong_method"
            hint = "The endpoints are listed at /docs."
            refused = RefusedRequest(
                error.status_code, word, error.detail, hint=hint, headers=allowed
            )
        else:
            refused = refusal_of(error) or RefusedRequest(500, "internal", "an internal error")
        if refused.status == 500:
            event("internal error", level=logging.ERROR, error=_info(error), id=exchange.id)
        if exchange.status:  # the response has begun
            raise error
        body = encode({**refused.body(), "request_id": exchange.id}) + b"\n"
        response = Response(
            body, refused.status, headers=refused.headers, media_type="application/json"
        )
        await response(exchange.scope, _no_receive, exchange.send)

    def _report(self, exchange: _Exchange) -> None:
        path = exchange.scope["path"]
        endpoint = path if path in self._paths else "other"
        seconds = time.monotonic() - exchange.began
        status = exchange.status or CLIENT_LEFT
        self._metrics.requests.labels(endpoint, str(status)).inc()
        self._metrics.seconds.labels(endpoint).observe(seconds)
        event(
            "request",
            level=logging.DEBUG if path in OPEN else logging.INFO,
            id=exchange.id,
            client=None if exchange.client is None else exchange.client.name,
            method=exchange.scope["method"],
            path=path[:200],
            status=status,
            seconds=round(seconds, 6),
            **exchange.scope["state"].get("fields", {}),
        )


class _Exchange:
    """A request and the status of its response."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.scope, self._send = scope, send
        self.began, self.status = time.monotonic(), 0
        self.client: Any = None
        given = Request(scope).headers.get("x-request-id", "")
        self.id = given if _ID.fullmatch(given) else f"{_RUN}-{next(_NUMBERS):x}"
        # The server shares one dict of state between requests.
        scope["state"] = {"id": self.id, "fields": {}, "send": self.send}
        scope["app"] = self  # lets the router raise for unknown paths instead of answering

    async def send(self, message: Message) -> None:
        """Send a message, with the request's id in the response's header."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = [(b"x-request-id", self.id.encode("ascii"))]
            own.append((b"x-content-type-options", b"nosniff"))
            own.append((b"cache-control", b"no-store"))
            message = {**message, "headers": [*message.get("headers", []), *own]}
        await self._send(message)


def _info(error: BaseException) -> Any:
    return type(error), error, error.__traceback__


async def _no_receive() -> Message:
    return {"type": "http.disconnect"}


def _check_host(host: str) -> None:
    """Refuse a Host header that does not name this machine (403)."""
    name = host.rpartition(":")[0] if re.search(r":\d*$", host) else host
    if not is_loopback(name or host):
        raise RefusedRequest(
            403,
            "wrong_host",
            f"Host: {host[:80]!r} is not a name of this machine",
            hint="Use http://127.0.0.1, or start the service with a token.",
        )
