"""The HTTP service on a cluster: answers, lost workers, a lost scheduler."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from porter.errors import NoCluster
from porter.serve.cluster import ClusterDevice, cluster_source
from porter.serve.requests import Translator
from porter.serve.service import JudgeService, ServiceState
from porter.serve.settings import ServeSettings

if TYPE_CHECKING:
    from porter.pipeline import Build


def test_a_lost_worker_loses_no_program(client: Any, built: Build) -> None:
    source = cluster_source(client.scheduler.address, "host", build=built.folder)
    service = JudgeService(source, 10_000)
    assert service.cancel is None
    service.start()
    assert service.is_opened(60)
    assert service.state == ServiceState.READY, service.error
    translator = Translator(ServeSettings(), None)
    first = service.submit(translator.run({"program": "print(7)"}))
    assert first.result(120).outputs == [b"7\n"]
    futures = [
        service.submit(translator.run({"program": f"for i in range(3000): pass\nprint({k})"}))
        for k in range(500)
    ]
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
    for k, future in enumerate(futures):
        assert future.result(120).outputs == [b"%d\n" % k]
    assert service.pending == 0
    service.close()


def test_a_lost_scheduler_is_a_lost_device(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: Any, **__: Any) -> Any:
        raise AttributeError("'NoneType' object has no attribute 'identity'")

    monkeypatch.setattr("porter.serve.cluster.judgements", lost)
    source = cluster_source("tcp://127.0.0.1:1")
    with pytest.raises(NoCluster, match="is lost"):
        list(source.judge(ClusterDevice(None), [], None, None))
    with pytest.raises(NoCluster):
        source.open()
