"""`porter serve`: an HTTP service that runs and judges programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from porter.cli._fallback import fallback_options, take_fallback
from porter.cli._options import seconds_option, size_option
from porter.cli._subject import devices_option
from porter.cli._types import NAME, PathType
from porter.errors import EXIT_INTERRUPTED, MissingPackage, UsageError
from porter.evaluation.execution import open_sandbox
from porter.fallback import layers_of
from porter.run.open import Devices

INSTALL = "pip install 'gpusnek-porter[serve]'"
LEVELS = ("debug", "info", "warning", "error")


def _source(scheduler: str | None, devices: Devices | None, choice: dict[str, Any]) -> Any:
    """Return the device of the service. `choice` has target, release and build."""
    from porter.serve.service import DeviceSource

    if scheduler is None:
        return DeviceSource(lambda: open_sandbox(**choice, devices=devices)[0])
    if devices is not None:
        raise UsageError("--gpus: workers of --scheduler use their own GPUs")
    from porter.serve.cluster import cluster_source  # imports distributed

    return cluster_source(scheduler, **choice)


@click.command("serve")
@click.option("--host", type=NAME, help="Address to listen on [127.0.0.1].")
@click.option("--port", type=int, help="Port; 0: a free one [8080].")
@click.option(
    "--token-file",
    type=PathType(exists=True, dir_okay=False, path_type=Path),
    help="File with tokens of clients, a line each; or set PORTER_TOKEN.",
)
@click.option("--no-token", is_flag=True, help="Serve other machines without a token.")
@click.option("--queue", type=int, help="Accepted programs without an answer [20000].")
@click.option("--client-requests", type=int, help="Requests of a client at a time [1024].")
@click.option("--client-rows", type=int, help="Rows of a client per second; 0: no limit [0].")
@click.option("--connections", type=int, help="Open connections [4096].")
@size_option("--max-body", "Largest body of a request [8M].")
@size_option("--max-batch", "Largest body of a batch [64M].")
@size_option("--max-held", "Memory for the bodies of all requests [512M].")
@click.option("--max-cases", type=int, help="Most cases of a program [10000].")
@size_option("--max-program", "Largest program, with its tests [256K].")
@click.option("--max-work", type=int, help="Most steps of all cases of a program [2400000000].")
@click.option("--steps", type=int, help="Steps of a call without an own limit [12000000].")
@click.option("--max-steps", type=int, help="Largest limit of steps [120000000].")
@seconds_option("Seconds of a call without an own limit [10].", name="--deadline")
@seconds_option("Largest limit of seconds [60].", name="--max-deadline")
@size_option("--max-heap", "Largest heap that a request may ask for [48M].")
@size_option("--max-stdout", "Largest buffer of output that a request may ask for [1M].")
@seconds_option("Seconds until an accepted request gets status 504 [120].")
@click.option("--release", metavar="R", help="Upstream release [newest in the lock].")
@click.option(
    "--target", type=click.Choice(("host", "cuda")), help="Target [the cores, and a GPU if any]."
)
@click.option("--build", type=PathType(path_type=Path), help="Use this finished build.")
@devices_option
@fallback_options
@click.option(
    "--fallback-processes", type=int, help="Programs in CPython at a time [one for each core]."
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Judge on the workers of this Dask scheduler: tcp://10.0.0.1:8786.",
)
@click.option(
    "--log-level",
    type=click.Choice(LEVELS),
    default="info",
    show_default=True,
    help="Least level of log lines; info has a line per request.",
)
def command(
    token_file: Path | None,
    no_token: bool,
    release: str | None,
    target: str | None,
    build: Path | None,
    devices: Devices | None,
    scheduler: str | None,
    log_level: str,
    **options: Any,
) -> None:
    """Serve an HTTP API that runs and judges Python programs in a sandbox.

    It listens on 127.0.0.1. SIGTERM or Ctrl-C ends it when all accepted requests are answered; a
    second signal ends it at once. http://127.0.0.1:8080/docs describes the API.
    """
    try:
        from porter.serve import server
    except ImportError as error:
        name = getattr(error, "name", None) or error
        raise MissingPackage(f"porter serve needs the package {name}", hint=INSTALL) from error
    from porter.serve.clients import read_tokens
    from porter.serve.logs import configure
    from porter.serve.settings import ServeSettings

    fallback = take_fallback(options)
    given = {name: value for name, value in options.items() if value is not None}
    settings = ServeSettings(**given, fallback=fallback)
    tokens = read_tokens(token_file)
    server.check_exposure(settings, tokens, no_token=no_token)
    source = _source(scheduler, devices, {"target": target, "release": release, "build": build})
    if fallback is not None and scheduler is None:  # else its workers run the programs
        layers_of(fallback)  # raises on a machine that cannot restrict programs
    configure(log_level)

    def listening(address: str) -> None:
        click.echo(f"porter serves at {address} (documentation: {address}/docs)")

    if not server.serve(settings, source, tokens, listening=listening):
        raise click.exceptions.Exit(EXIT_INTERRUPTED)
