"""Load `porter serve` with many clients, and check every answer.

    python -m benchmarks.serving --clients 200 --requests 100000
    python -m benchmarks.serving --clients 200 --seconds 1800 --pause 2
    python -m benchmarks.serving --lacking 10 --clients 200 --requests 20000
    python -m benchmarks.serving --reference --clients 200 --requests 2000

Each client has one connection and waits for its answer before its next request. Every program
prints a number of its own, so that an answer of another request is detected. Some programs are
hostile, and some clients leave while they wait. With `--lacking`, some programs need the CPython
fallback, and one of 20 among these loops until its deadline. `--reference` starts a minimal server
that runs one CPython process per request, and loads it with the same harmless programs.

Output: a table of requests, throughput, latencies, wrong answers and resident memory.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from attrs import define, field, frozen

STEPS = 1_000_000  # of hostile programs; an endless loop then takes about 0.1 s of a core
STARTING = 900.0  # seconds; the first start makes a build
HOST = "127.0.0.1"
_TICKS = os.sysconf("SC_CLK_TCK")
LEAVES_AFTER = 0.002  # seconds


@frozen
class Exchange:
    """A request and the check of its answer. `leaves`: the client closes the connection."""

    kind: str
    path: str
    body: bytes
    status: int
    check: Callable[[Any], bool]
    leaves: bool = False


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _run(kind: str, program: str, check: Callable[[Any], bool], **more: Any) -> Exchange:
    return Exchange(kind, "/v1/run", _json({"program": program, **more}), 200, check)


def prints(number: int) -> Exchange:
    """Return a program that prints `number` and its input."""
    body = f"x = {number}\nprint(x * x, input())"
    wanted = f"{number * number} in{number}\n"
    return _run("run", body, lambda found: found["stdout"] == wanted, stdin=f"in{number}\n")


def judged(number: int) -> Exchange:
    """Return a program that passes one of two cases."""
    tests = {"cases": [[[number], number + 1], [[1], -number]], "entry": "f"}
    body = _json({"program": "def f(x): return x + 1", "tests": tests, "id": number})
    return Exchange(
        "evaluate",
        "/v1/evaluate",
        body,
        200,
        lambda found: (found["id"], found["score"]) == (number, 0.5),
    )


def fusion(number: int) -> Exchange:
    """Return a program in SandboxFusion's protocol."""
    body = _json({"code": f"print({number} + 1)", "language": "python"})
    wanted = f"{number + 1}\n"
    return Exchange(
        "run_code", "/run_code", body, 200, lambda found: found["run_result"]["stdout"] == wanted
    )


HOSTILE = (
    ("while True: pass", "OUT_OF_STEPS"),
    ("x = [0]\nwhile True: x += x", "OUT_OF_MEMORY"),
    ("def f(): return [f()]\nf()", ""),
    ("x = 1\nwhile True: x = x * x + 1", ""),
    ("while True: print('x' * 100)", ""),
    ("import os\nos._exit(1)", "UNSUPPORTED"),
    ("try:\n  while True: pass\nexcept BaseException:\n  while True: pass", "OUT_OF_STEPS"),
    ("'a' * (1 << 62)", "OUT_OF_MEMORY"),
    ("def f(", "SYNTAX_ERROR"),
    ("raise SystemExit(7)", "EXITED"),
)


def hostile(number: int) -> Exchange:
    """Return a program that wastes steps, memory or output, or is wrong."""
    program, status = HOSTILE[number % len(HOSTILE)]

    def is_right(found: Any) -> bool:
        expected = "EXITED" if found["in_cpython"] else status or found["status"]
        return not found["ok"] and found["status"] == expected

    return _run(
        "hostile",
        f"{program}\n# {number}",
        is_right,
        limits={"steps": STEPS},
    )


def lacking(number: int) -> Exchange:
    """Return a program that imports what interpreters lack."""
    wanted = f"{number}\n"
    return _run(
        "in CPython",
        f"import _thread\nprint({number})",
        lambda found: found["stdout"] == wanted and found["in_cpython"],
    )


def looping(number: int) -> Exchange:
    """Return a program that loops in CPython until its deadline."""
    return _run(
        "in CPython, loops",
        f"import _thread\nwhile True: pass\n# {number}",
        lambda found: found["status"] == "OUT_OF_TIME",
        limits={"deadline": 1.0},
    )


def invalid(number: int) -> Exchange:
    """Return a request that is refused."""
    bodies = (b"{", b'{"program": 1}', b"[" * 5000, b"\xff", b'{"program": "", "x": NaN}')
    body = bodies[number % len(bodies)]
    status = 422 if body.endswith(b"1}") else 400
    return Exchange("invalid", "/v1/run", body, status, lambda found: "error" in found)


def leaving(number: int) -> Exchange:
    """Return a request whose client leaves."""
    body = _json({"program": f"for i in range(20000): pass\nprint({number})"})
    return Exchange("leaves", "/v1/run", body, 0, lambda found: True, leaves=True)


MIX = ((prints, 60), (judged, 20), (fusion, 16), (hostile, 2), (invalid, 1), (leaving, 1))


@define
class Tally:
    """Counts and latencies of all clients."""

    limit: int
    end: float
    harmless: bool
    pause: float
    random: random.Random
    mix: tuple[tuple[Callable[[int], Exchange], float], ...] = MIX
    begun: int = 0
    done: Counter[str] = field(factory=Counter)
    wrong: list[str] = field(factory=list)
    refused: int = 0
    seconds: dict[str, list[float]] = field(factory=dict)

    def next(self) -> Exchange | None:
        """Return the next request; None at the end of the measurement."""
        if self.begun >= self.limit or time.monotonic() >= self.end:
            return None
        self.begun += 1
        if self.harmless:
            return prints(self.begun)
        makers, weights = zip(*self.mix, strict=True)
        maker = self.random.choices(makers, weights)[0]
        return maker(self.begun)

    def add(self, exchange: Exchange, status: int, answer: Any, seconds: float) -> None:
        """Check and count an answer."""
        self.done[exchange.kind] += 1
        self.seconds.setdefault(exchange.kind, []).append(seconds)
        if status == 429:
            self.refused += 1
        elif status != exchange.status or not exchange.check(answer):
            self.wrong.append(f"{exchange.kind} {status} {exchange.body[:80]!r} {answer!r}"[:400])


async def _client(port: int, tally: Tally) -> None:
    reader = writer = None
    while (exchange := tally.next()) is not None:
        if tally.pause:
            await asyncio.sleep(tally.random.uniform(0, 2 * tally.pause))
        began = time.monotonic()
        if writer is None or writer.is_closing():
            reader, writer = await asyncio.open_connection(HOST, port)
        assert reader is not None
        head = (
            f"POST {exchange.path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(exchange.body)}\r\n\r\n"
        )
        writer.write(head.encode() + exchange.body)
        if exchange.leaves:
            await asyncio.sleep(LEAVES_AFTER)
            writer.close()
            writer = None
            tally.done[exchange.kind] += 1
            continue
        status, answer, closes = await _answer(reader)
        tally.add(exchange, status, answer, time.monotonic() - began)
        if closes:
            writer.close()
            writer = None
    if writer is not None:
        writer.close()


async def _answer(reader: asyncio.StreamReader) -> tuple[int, Any, bool]:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    status = int(head.split(b" ", 2)[1])
    length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
    body = await reader.readexactly(length)
    return status, json.loads(body), b"connection: close" in head


async def _memory(pid: int, every: float, found: list[tuple[float, float]]) -> None:
    began = time.monotonic()
    while True:
        with open(f"/proc/{pid}/status") as file:
            (line,) = [one for one in file if one.startswith("VmRSS")]
        found.append((time.monotonic() - began, int(line.split()[1]) / 1024))
        await asyncio.sleep(every)


async def _load(port: int, pid: int, clients: int, tally: Tally, every: float) -> Any:
    memory: list[tuple[float, float]] = []
    watching = asyncio.create_task(_memory(pid, every, memory))
    began = time.monotonic()
    await asyncio.gather(*(_client(port, tally) for _ in range(clients)))
    seconds = time.monotonic() - began
    watching.cancel()
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    print(f"processor time of the process: {sum(map(int, fields[11:13])) / _TICKS:.1f} s")
    return seconds, memory


async def _reference_request(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, free: asyncio.Semaphore
) -> None:
    """Answer the requests of a connection with one CPython process each."""
    while head := await reader.readuntil(b"\r\n\r\n"):
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        request = json.loads(await reader.readexactly(length))
        async with free:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-I", "-S", "-c", request["program"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
            out, err = await process.communicate(request.get("stdin", "").encode())
        body = _json({"stdout": out.decode(), "stderr": err.decode(), "ok": not process.returncode})
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


async def _reference(clients: int, tally: Tally) -> Any:
    free = asyncio.Semaphore(os.cpu_count() or 1)

    async def connection(reader: Any, writer: Any) -> None:
        try:
            await _reference_request(reader, writer, free)
        except asyncio.IncompleteReadError:
            writer.close()

    server = await asyncio.start_server(connection, HOST, 0)
    port = server.sockets[0].getsockname()[1]
    return await _load(port, os.getpid(), clients, tally, 10.0)


def _start(more: list[str]) -> tuple[subprocess.Popen[str], int]:
    """Start the service on a free port; return its process and its port."""
    command = [sys.executable, "-m", "porter", "serve", "--port", "0", "--log-level", "warning"]
    process = subprocess.Popen([*command, *more], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise SystemExit("the service did not start")
    return process, int(line.split()[3].rpartition(":")[2])


def percentile(values: list[float], share: float) -> float:
    """Return the value below which `share` of the values lie."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def report(tally: Tally, seconds: float, memory: list[tuple[float, float]]) -> None:
    """Print the tables."""
    total = tally.done.total()
    print(f"{total} requests in {seconds:.1f} s: {total / seconds:.0f} per second")
    print(f"wrong answers: {len(tally.wrong)}; refused with 429: {tally.refused}")
    for one in tally.wrong[:10]:
        print("  ", one)
    print("| requests | number | p50 | p99 | maximum |\n|---|---|---|---|---|")
    every = {"all": [one for part in tally.seconds.values() for one in part], **tally.seconds}
    for kind, values in every.items():
        shown = [percentile(values, 0.5), percentile(values, 0.99), max(values)]
        cells = " | ".join(f"{1000 * one:.0f} ms" for one in shown)
        print(f"| {kind} | {len(values)} | {cells} |")
    print("| time | resident memory |\n|---|---|")
    for k in range(0, len(memory), max(len(memory) // 12, 1)):
        print(f"| {memory[k][0]:.0f} s | {memory[k][1]:.0f} MiB |")
    if memory:
        print(f"| {memory[-1][0]:.0f} s | {memory[-1][1]:.0f} MiB |", flush=True)


def main() -> None:
    """Measure, and exit with 1 if an answer was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--requests", type=int, default=1 << 40)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--pause", type=float, default=0.0, help="mean seconds between requests")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--harmless", action="store_true", help="programs that print, alone")
    parser.add_argument(
        "--lacking", type=float, default=0.0, help="percentage of programs that need CPython"
    )
    parser.add_argument("--reference", action="store_true", help="CPython processes instead")
    parser.add_argument("--options", default="--target host", help="options of porter serve")
    given = parser.parse_args()
    tally = Tally(
        given.requests,
        time.monotonic() + given.seconds,
        given.harmless or given.reference,
        given.pause,
        random.Random(given.seed),
    )
    options = given.options.split()
    if given.lacking:
        others = sum(weight for _, weight in MIX)
        weight = others * given.lacking / (100 - given.lacking)
        tally.mix = (*MIX, (lacking, weight * 0.95), (looping, weight * 0.05))
        options += ["--fallback", "cpython"]
    if given.reference:
        report(tally, *asyncio.run(_reference(given.clients, tally)))
        raise SystemExit(bool(tally.wrong))
    process, port = _start(options)
    try:
        tally.end = time.monotonic() + given.seconds
        report(tally, *asyncio.run(_load(port, process.pid, given.clients, tally, 5.0)))
    finally:
        process.send_signal(signal.SIGTERM)
        code = process.wait()
    print(f"exit code of the service: {code}")
    raise SystemExit(bool(tally.wrong) or code)


if __name__ == "__main__":
    main()
