"""The main program of a process that judges portions for another one (`processes`)."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections import OrderedDict
from multiprocessing.connection import Connection
from typing import Any

from attrs import evolve

from porter.errors import LaunchFailed, PorterError
from porter.evaluation.judgement import judge
from porter.evaluation.processes import KINDS, MOST_KEPT
from porter.run import Cancel
from porter.run.device.host import HostTwin


def main(fd: int, cores: int, nice: int) -> None:
    """Judge what the connection asks for, until its other end is closed.

    Args:
        fd: File descriptor of the connection.
        cores: Number of threads of the host twin.
        nice: Added to the niceness.
    """
    os.nice(nice)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process cancels launches
    connection = Connection(fd)
    try:
        device = HostTwin(connection.recv(), threads=cores)
    except (PorterError, EOFError, OSError) as error:
        connection.send(str(error))
        return
    connection.send(True)
    kept: dict[str, OrderedDict[int, Any]] = {kind: OrderedDict() for kind in KINDS}
    cancels: dict[int, Cancel] = {}
    sending = threading.Lock()

    def answer(number: int, portion: Any, how: Any) -> None:
        try:
            found: Any = judge(device, portion, how)
        except BaseException as error:
            found = error
        cancels.pop(number, None)
        try:
            data = pickle.dumps((number, found))
        except Exception:  # an exception that cannot be pickled
            data = pickle.dumps((number, LaunchFailed(f"{type(found).__name__}: {found}")))
        with sending:
            connection.send_bytes(data)

    while True:
        try:
            message = connection.recv()
        except (EOFError, OSError):
            return
        match message:
            case ("keep", kind, key, value):
                kept[kind][key] = value
                while len(kept[kind]) > MOST_KEPT:
                    kept[kind].popitem(last=False)
            case ("cancel", number, requests):
                if number in cancels:
                    cancels[number].asked = requests
            case ("judge", number, (cases, options), portion):
                cancels[number] = Cancel()
                portion = evolve(portion, cases=kept["cases"][cases])
                how = evolve(kept["options"][options], cancel=cancels[number])
                threading.Thread(target=answer, args=(number, portion, how), daemon=True).start()
