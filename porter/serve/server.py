"""Run the service until a signal: start, drain, end.

States: *starting* (the device opens; work is refused), *serving*, *draining* (after the first
SIGTERM or SIGINT: new work is refused, accepted requests are answered), *cancelled* (after the
second signal: programs that wait are not judged, launches are interrupted, all requests are
answered with status 503). The socket stays open while the service drains, so that readiness checks
see status 503 and not a refused connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Callable, Iterator

import uvicorn

from porter.base.untrusted import printable
from porter.errors import UsageError
from porter.serve.app import ServeApp, make_app
from porter.serve.clients import Clients, Token
from porter.serve.logs import event
from porter.serve.service import DeviceSource, JudgeService
from porter.serve.settings import ServeSettings

SIGNALS = (signal.SIGTERM, signal.SIGINT)
POLL = 0.05  # seconds between looks for the last accepted request
KEEP_ALIVE = 30  # seconds that an idle connection stays open
BACKLOG = 2048  # connections that the kernel accepts ahead
# Seconds after which a batch's thread gives Python's lock to the thread of connections, which waits
# for it at each call of the system.
SWITCH = 0.0005
MAX_HEAD = 1 << 15  # bytes of a request's line and headers


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: the service has its own."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone."""
        yield


class ServiceRun:
    """A running service.

    Args:
        app: The application.
        settings: The settings.
        listening: The socket.
    """

    def __init__(self, app: ServeApp, settings: ServeSettings, listening: socket.socket) -> None:
        self._app, self._listening = app, listening
        self.cancelled = False
        self._signals = 0
        self._draining: asyncio.Task[None] | None = None
        self._server = _Server(
            uvicorn.Config(
                app.asgi,
                log_config=None,
                access_log=False,
                lifespan="off",
                http="h11",  # which limits the size of headers
                ws="none",
                h11_max_incomplete_event_size=MAX_HEAD,
                limit_concurrency=settings.connections,
                timeout_keep_alive=KEEP_ALIVE,
                server_header=False,
                backlog=BACKLOG,
                proxy_headers=False,  # a client could choose its address
            )
        )

    async def run(self, ready: Callable[[], object]) -> None:
        """Serve until the drain after a signal has ended. Raises the error of opening the device.

        Args:
            ready: Called when programs are accepted.
        """
        loop = asyncio.get_running_loop()
        for one in SIGNALS:
            loop.add_signal_handler(one, self._signalled)
        service = self._app.service
        service.start()
        serving = asyncio.create_task(self._server.serve(sockets=[self._listening]))
        opening = asyncio.create_task(asyncio.to_thread(self._wait_opened))
        await asyncio.wait((serving, opening), return_when=asyncio.FIRST_COMPLETED)
        try:
            if opening.done():
                opening.result()
                if not self._signals:
                    ready()
        except BaseException:
            self._server.should_exit = True
            await serving
            raise
        await serving

    def _wait_opened(self) -> None:
        while not self._signals and not self._app.service.is_opened(POLL):
            pass
        if not self._signals:
            self._app.service.check_opened()

    def _signalled(self) -> None:
        self._signals += 1
        if self._signals == 1:
            event("draining", requests=self._app.guard.active)
            self._app.guard.draining = True
            self._draining = asyncio.create_task(self._drain())
        elif self._signals == 2:
            event("cancelling", programs=self._app.service.pending)
            self.cancelled = True
            asyncio.get_running_loop().run_in_executor(None, self._app.service.stop)

    async def _drain(self) -> None:
        while self._app.guard.active:
            await asyncio.sleep(POLL)
        self._server.should_exit = True


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises UsageError."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"cannot listen on {printable(host)}, port {port}: {reason}",
            hint="Give another --host or --port.",
        ) from error
    listening.set_inheritable(False)
    return listening


def check_exposure(settings: ServeSettings, tokens: list[Token], *, no_token: bool) -> None:
    """Refuse to serve other machines without a token. Raises UsageError."""
    if tokens and no_token:
        raise UsageError("--no-token: there is a token; give one of the two")
    if not settings.is_local and not tokens and not no_token:
        raise UsageError(
            f"--host {settings.host}: other machines could run programs without a token",
            hint="Give --token-file or PORTER_TOKEN, or say --no-token.",
        )


def serve(
    settings: ServeSettings,
    source: DeviceSource,
    tokens: list[Token],
    *,
    listening: Callable[[str], object],
) -> bool:
    """Serve until a signal.

    Args:
        settings: The settings.
        source: Opens the device.
        tokens: The tokens of clients; empty: requests need none.
        listening: Called with the service's address when programs are accepted.

    Returns:
        Whether all accepted requests were answered; False after a second signal.

    Raises:
        PorterError: The device cannot be opened, or the address is not free.
    """
    with listen(settings.host, settings.port) as opened:
        host, port = opened.getsockname()[:2]
        address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        service = JudgeService(source, settings.queue, settings.fallback)
        clients = Clients(tokens, settings.client_requests, settings.client_rows)
        run = ServiceRun(make_app(settings, service, clients), settings, opened)
        event("starting", address=address, tokens=len(tokens))

        def ready() -> None:
            event("ready", address=address)
            listening(address)

        interval = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH)
        try:
            asyncio.run(run.run(ready))
        finally:
            sys.setswitchinterval(interval)
            service.close()
            event("stopped", cancelled=run.cancelled)
        return not run.cancelled
