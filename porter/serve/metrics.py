"""Metrics of the service in the format of Prometheus."""

from __future__ import annotations

from collections import Counter as Tally

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from porter.evaluation.batching import JudgedProgram
from porter.serve.service import JudgeService, ServiceState

CONTENT_TYPE = CONTENT_TYPE_LATEST
BUCKETS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120)  # seconds


class ServiceMetrics:
    """The metrics of one service, in a registry of its own."""

    def __init__(self, service: JudgeService) -> None:
        self.registry = CollectorRegistry()
        own = self.registry
        self.requests = Counter(
            "porter_requests", "HTTP requests.", ("endpoint", "status"), registry=own
        )
        self.seconds = Histogram(
            "porter_request_seconds",
            "Seconds of a request, from its header to the end of its answer.",
            ("endpoint",),
            buckets=BUCKETS,
            registry=own,
        )
        self.rows = Counter("porter_rows", "Judged rows by status.", ("status",), registry=own)
        self.in_cpython = Counter("porter_rows_in_cpython", "Rows that CPython ran.", registry=own)
        self.programs = Counter("porter_programs", "Answered programs.", registry=own)
        self.cancelled = Counter(
            "porter_cancelled", "Programs whose client left before the answer.", registry=own
        )
        self.failures = Counter("porter_device_failures", "Failures of the device.", registry=own)
        self.in_progress = Gauge(
            "porter_requests_in_progress", "Requests in progress.", registry=own
        )
        for name, text, value in (
            ("porter_programs_waiting", "Programs in no batch.", lambda: service.waiting),
            ("porter_programs_running", "Programs in batches.", lambda: service.running),
            ("porter_programs_pending", "Programs without an answer.", lambda: service.pending),
            (
                "porter_ready",
                "1 if there is a device.",
                lambda: service.state == ServiceState.READY,
            ),
        ):
            Gauge(name, text, registry=own).set_function(value)
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)

    def judged(self, found: JudgedProgram) -> None:
        """Count a judged program."""
        self.programs.inc()
        self.in_cpython.inc(sum(found.in_cpython))
        for status, count in Tally(found.statuses).items():
            self.rows.labels(status.name).inc(count)

    def text(self) -> bytes:
        """Return all metrics."""
        return generate_latest(self.registry)
