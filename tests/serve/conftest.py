from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn
from attrs import define
from starlette.testclient import TestClient

from porter.evaluation.execution import judgements
from porter.run import Device, open_device
from porter.serve.app import ServeApp, make_app
from porter.serve.clients import Clients, Token
from porter.serve.server import listen
from porter.serve.service import DeviceSource, JudgeService
from porter.serve.settings import ServeSettings

if TYPE_CHECKING:
    from porter.pipeline import Build

LOCAL = "http://127.0.0.1"
SETTINGS: dict[str, Any] = {"steps": 200_000, "max_steps": 1_000_000, "timeout": 60.0}


@define(eq=False)
class SharedDevice:
    """A device that tests share; a service cannot close it."""

    device: Device

    def close(self) -> None:
        """Leave the device open."""


def judge(shared: Any, *arguments: Any) -> Any:
    """Judge programs on a SharedDevice."""
    return judgements(shared.device, *arguments)


@pytest.fixture(scope="session")
def device(built: Build) -> Iterator[Device]:
    """Yield the host twin."""
    opened = open_device(built.folder, "host")
    yield opened
    opened.close()


Maker = Callable[..., ServeApp]


@pytest.fixture
def make(device: Device) -> Iterator[Maker]:
    """Yield a function that makes an application; its services are closed after the test."""
    services: list[JudgeService] = []

    def made(
        tokens: list[Token] | None = None, source: DeviceSource | None = None, **settings: Any
    ) -> ServeApp:
        chosen = ServeSettings(**{**SETTINGS, **settings})
        opened = source or DeviceSource(lambda: SharedDevice(device), judge)
        service = JudgeService(opened, chosen.queue, chosen.fallback)
        services.append(service)
        clients = Clients(tokens or [], chosen.client_requests, chosen.client_rows)
        app = make_app(chosen, service, clients)
        service.start()
        assert service.is_opened(60)
        return app

    yield made
    for service in services:
        service.close()


@pytest.fixture
def client(make: Maker) -> TestClient:
    """Return a client of a service with default settings."""
    return client_of(make())


def client_of(app: ServeApp) -> TestClient:
    """Return a client that reports errors of the application as responses."""
    return TestClient(app.asgi, base_url=LOCAL, raise_server_exceptions=False)


@pytest.fixture
def live() -> Iterator[Callable[[ServeApp], str]]:
    """Yield a function that serves an application on a free port, and returns its address."""
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def serve(app: ServeApp) -> str:
        socket = listen("127.0.0.1", 0)
        config = uvicorn.Config(app.asgi, log_config=None, lifespan="off", http="h11", ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([socket],), daemon=True)
        thread.start()
        running.append((server, thread))
        while not server.started:
            time.sleep(0.01)
        return f"{LOCAL}:{socket.getsockname()[1]}"

    yield serve
    for server, thread in running:
        server.should_exit = True
        thread.join(30)
