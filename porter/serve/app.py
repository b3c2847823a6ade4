"""The endpoints of the service as an ASGI application.

Each endpoint of work has four steps: read the body, translate it to a `ProgramWork`, submit that,
and wait for the answer or for the client's leaving. `guard` runs around them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import attrs
from attrs import define, field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp

from porter.evaluation.batching import JudgedProgram
from porter.serve import openapi
from porter.serve.batches import BatchResponse
from porter.serve.bodies import (
    JSON_TYPES,
    LINE_TYPES,
    ClientLeft,
    HeldBytes,
    check_type,
    encode,
    json_of,
    read_body,
)
from porter.serve.clients import ClientBudget, Clients
from porter.serve.guard import ServeGuard
from porter.serve.metrics import CONTENT_TYPE, ServiceMetrics
from porter.serve.refusals import RefusedRequest
from porter.serve.requests import ProgramWork, Translator
from porter.serve.sandbox_fusion import FusionTranslator
from porter.serve.schemas import InvalidField
from porter.serve.service import JudgeService, ServiceState
from porter.serve.settings import ServeSettings

INLINE = 1 << 14  # bytes of a body that is translated without a thread
Translate = Callable[[Any], ProgramWork | Any]


@define(eq=False)
class Endpoints:
    """The endpoints of a service.

    Attributes:
        settings: The settings.
        service: Judges programs.
        metrics: The metrics.
        guard: The middleware, which knows whether the service is draining.
    """

    settings: ServeSettings
    service: JudgeService
    metrics: ServiceMetrics = field(init=False)
    guard: ServeGuard | None = field(default=None, init=False)
    _held: HeldBytes = field(init=False)
    _translator: Translator = field(init=False)
    _fusion: FusionTranslator = field(init=False)
    _document: bytes = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Make what all requests share."""
        self.metrics = ServiceMetrics(self.service)
        self._held = HeldBytes(self.settings.max_held)
        self._translator = Translator(self.settings, self.service.cancel)
        self._fusion = FusionTranslator(self._translator)
        self._document = encode(openapi.document())

    def routes(self) -> list[Route]:
        """Return the routes."""
        work = {
            "/v1/run": self._translator.run,
            "/v1/evaluate": self._translator.evaluation,
            "/run_code": self._fusion.run_code,
            "/submit": self._fusion.submit,
        }
        return [
            *(Route(path, self._work(of), methods=["POST"]) for path, of in work.items()),
            Route("/v1/batch", self._batch, methods=["POST"]),
            Route("/healthz", self._health, methods=["GET"]),
            Route("/readyz", self._ready, methods=["GET"]),
            Route("/v1/ping", self._ping, methods=["GET"]),
            Route("/metrics", self._metrics, methods=["GET"]),
            Route("/openapi.json", self._openapi, methods=["GET"]),
            Route("/docs", self._docs, methods=["GET"]),
        ]

    def _work(self, translate: Translate) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> Response:
            check_type(request, JSON_TYPES)
            most, seconds = self.settings.max_body, self.settings.body_timeout
            with self._held.hold() as share:
                body = await read_body(request, most, seconds, share)
                if len(body) <= INLINE:
                    work = _translated(translate, body)
                else:
                    work = await asyncio.to_thread(_translated, translate, body)
                del body
                answer = work
                if isinstance(work, ProgramWork):
                    answer = await self._judged(request, work)
            return json_response(plain(answer))

        return endpoint

    async def _judged(self, request: Request, work: ProgramWork) -> Any:
        """Return the answer of a program.

        Raises:
            RefusedRequest: The client has reached a limit, or the program was not judged in time.
            ClientLeft: The client has closed the connection; the program is cancelled.
        """
        client: ClientBudget = request.state.client
        request.state.fields["rows"] = work.rows
        client.take(work.rows)
        began = asyncio.get_running_loop().time()
        future = asyncio.wrap_future(self.service.submit(work))
        left = asyncio.ensure_future(_client_left(request))
        try:
            done, _ = await asyncio.wait(
                (future, left), timeout=self.settings.timeout, return_when=asyncio.FIRST_COMPLETED
            )
            if future not in done:
                self.metrics.cancelled.inc()
                if left in done:
                    raise ClientLeft
                seconds = self.settings.timeout
                raise RefusedRequest(
                    504, "timeout", f"the program was not judged within {seconds:g} s"
                )
            found: JudgedProgram = future.result()
        finally:
            left.cancel()
            future.cancel()
        self.metrics.judged(found)
        return work.answer(found, asyncio.get_running_loop().time() - began)

    async def _batch(self, request: Request) -> Response:
        check_type(request, (*LINE_TYPES, *JSON_TYPES))
        response = BatchResponse(
            self.settings, self.service, self.metrics, self._translator, request.state.client
        )
        with self._held.hold() as share:
            body = await read_body(
                request, self.settings.max_batch, self.settings.body_timeout, share
            )
            response.split(body)
            del body
            request.state.fields["lines"] = len(response.lines)
            # The response is sent here, so that its body counts as held until it has ended.
            await response(request.scope, request.receive, request.state.send)
        return _Sent()

    async def _health(self, request: Request) -> Response:
        return json_response({"status": "alive"})

    async def _ready(self, request: Request) -> Response:
        draining = self.guard is not None and self.guard.draining
        state = "stopping" if draining else self.service.state.value
        ready = self.service.state == ServiceState.READY and not draining
        return json_response({"status": state}, 200 if ready else 503)

    async def _ping(self, request: Request) -> Response:
        return json_response("pong")

    async def _metrics(self, request: Request) -> Response:
        return Response(self.metrics.text(), headers={"Content-Type": CONTENT_TYPE})

    async def _openapi(self, request: Request) -> Response:
        return Response(self._document, media_type="application/json")

    async def _docs(self, request: Request) -> Response:
        headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
        return Response(openapi.page(), media_type="text/html", headers=headers)


class _Sent(Response):
    """A response that was sent before its endpoint returned."""

    async def __call__(self, *_: Any) -> None:
        """Send nothing."""


def json_response(value: Any, status: int = 200) -> Response:
    """Return a response whose line break keeps a terminal's prompt apart."""
    return Response(encode(value) + b"\n", status, media_type="application/json")


def _translated(translate: Translate, body: bytes) -> Any:
    """Return the work of a body. Raises RefusedRequest (400, 422)."""
    try:
        return translate(json_of(body))
    except InvalidField as error:
        raise RefusedRequest(422, "invalid", str(error), hint=error.hint) from error


def plain(answer: Any) -> Any:
    """Return an answer as JSON."""
    return attrs.asdict(answer) if attrs.has(type(answer)) else answer


async def _client_left(request: Request) -> None:
    """Return when the client closes the connection; its body was read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


@define(eq=False)
class ServeApp:
    """The application: `asgi` for a server, with what the server controls.

    Attributes:
        asgi: The application.
        guard: Refuses work while the service drains.
        service: Judges programs.
        metrics: The metrics.
    """

    asgi: ASGIApp
    guard: ServeGuard
    service: JudgeService
    metrics: ServiceMetrics


def make_app(settings: ServeSettings, service: JudgeService, clients: Clients) -> ServeApp:
    """Make the application of a service.

    Args:
        settings: The settings.
        service: Judges programs.
        clients: The clients.
    """
    endpoints = Endpoints(settings, service)
    routes = endpoints.routes()
    # The router alone: its errors reach the guard, which answers all errors in one shape.
    router = Router(routes, redirect_slashes=False)
    paths = frozenset(route.path for route in routes)
    local_only = settings.is_local and not clients.has_tokens
    guard = ServeGuard(router, clients, endpoints.metrics, paths, local_only=local_only)
    endpoints.guard = guard
    service.on_failure = lambda error: endpoints.metrics.failures.inc()
    return ServeApp(guard, guard, service, endpoints.metrics)
