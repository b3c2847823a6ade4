"""Batches: many requests as JSON lines in one body, answered as JSON lines as programs finish.

The body is read before the first answer, because most clients send all of it before they read. At
most `window` lines wait, run, or are finished and not sent, so a client that reads slowly delays
its own batch only. A client that leaves cancels the lines that wait.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import attrs
from attrs import define, field
from starlette.types import Receive, Scope, Send

from porter.errors import QueueFull
from porter.serve.bodies import ClientLeft, encode, json_of
from porter.serve.clients import ClientBudget
from porter.serve.metrics import ServiceMetrics
from porter.serve.refusals import RefusedRequest, refusal_of
from porter.serve.requests import ProgramWork, Translator
from porter.serve.schemas import InvalidField
from porter.serve.service import JudgeService
from porter.serve.settings import ServeSettings

MOST_LINES = 1_000_000
TOGETHER = 64  # lines that are translated before the next pause
FULL_PAUSE = 0.02  # seconds until a line tries a full queue again
MOST_CHUNK = 256  # answers that are sent at once


@define(eq=False)
class BatchLine:
    """A line of a batch.

    Attributes:
        index: Its number among the lines that are not empty, from 0.
        id: The request's id; None without a valid one.
        work: The translated request; None if it is invalid.
        refused: Why it is invalid.
        began: When it was submitted.
    """

    index: int
    id: Any = None
    work: ProgramWork | None = None
    refused: RefusedRequest | None = None
    began: float = 0.0


@define(eq=False)
class BatchResponse:
    """The answer of a batch, an ASGI application.

    Attributes:
        settings: The settings.
        service: Judges programs.
        metrics: The metrics.
        translator: Translates lines.
        client: The client, whose rows per second hold for the lines.
        lines: The lines that are not empty.
    """

    settings: ServeSettings
    service: JudgeService
    metrics: ServiceMetrics
    translator: Translator
    client: ClientBudget
    lines: list[bytes] = field(factory=list)
    _finished: asyncio.Queue[bytes] = field(factory=asyncio.Queue, init=False)
    _slots: asyncio.Semaphore = field(init=False)
    _futures: set[asyncio.Future[Any]] = field(factory=set, init=False)

    def __attrs_post_init__(self) -> None:
        """Make the slots of lines that wait, run, or are not sent."""
        self._slots = asyncio.Semaphore(self.settings.window)

    def split(self, body: bytes) -> None:
        """Find the lines. Raises RefusedRequest (400, 413)."""
        # Counted first: a list of empty lines would need many times the memory of the body.
        if (count := body.count(b"\n")) > MOST_LINES:
            raise RefusedRequest(413, "too_large", f"{count} lines, the maximum is {MOST_LINES}")
        self.lines = [line for line in body.split(b"\n") if line.strip()]
        if not self.lines:
            hint = "Send a request per line."
            raise RefusedRequest(400, "empty", "the body has no line", hint=hint)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Judge the lines, and send an answer for each of them. Raises ClientLeft."""
        head = [(b"content-type", b"application/x-ndjson")]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        feeding = asyncio.create_task(self._feed())
        leaving = asyncio.create_task(_left(receive))
        left = len(self.lines)
        try:
            while left:
                chunk = await self._chunk(leaving, feeding)
                left -= len(chunk)
                async with asyncio.timeout(self.settings.body_timeout):
                    data = b"".join(chunk)
                    await send({"type": "http.response.body", "body": data, "more_body": True})
                for _ in chunk:
                    self._slots.release()
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError as error:
            raise ClientLeft from error
        finally:
            feeding.cancel()
            leaving.cancel()
            waiting = [one for one in self._futures if not one.done()]
            self.metrics.cancelled.inc(len(waiting))
            for one in waiting:
                one.cancel()

    async def _chunk(self, leaving: asyncio.Task[None], feeding: asyncio.Task[None]) -> list[bytes]:
        """Return the answers that are finished, at least one. Raises ClientLeft."""
        if self._finished.empty():
            getting = asyncio.ensure_future(self._finished.get())
            tasks: list[asyncio.Future[Any]] = [getting, leaving]
            if not feeding.done():
                tasks.append(feeding)
            while not getting.done():
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                if leaving in done:
                    getting.cancel()
                    raise ClientLeft
                if feeding in done:
                    feeding.result()  # raises its error
                    tasks.remove(feeding)
            chunk = [getting.result()]
        else:
            chunk = [self._finished.get_nowait()]
        while len(chunk) < MOST_CHUNK and not self._finished.empty():
            chunk.append(self._finished.get_nowait())
        return chunk

    async def _feed(self) -> None:
        """Translate and submit all lines, in order."""
        for first in range(0, len(self.lines), TOGETHER):
            part = self.lines[first : first + TOGETHER]
            found = await asyncio.to_thread(self._translated, first, part)
            for line in found:
                await self._slots.acquire()
                if line.work is None:
                    assert line.refused is not None
                    self._refuse(line, line.refused)
                else:
                    await self._submit(line, line.work)

    def _translated(self, first: int, part: list[bytes]) -> list[BatchLine]:
        return [self._line(first + k, text) for k, text in enumerate(part)]

    def _line(self, index: int, text: bytes) -> BatchLine:
        line = BatchLine(index)
        try:
            value = json_of(text, f"line {index}")
            if isinstance(value, dict) and type(value.get("id")) in (str, int):
                line.id = value["id"]
            line.work = self.translator.of_json(value)
        except InvalidField as error:
            line.refused = RefusedRequest(422, "invalid", str(error), hint=error.hint)
        except RefusedRequest as error:
            line.refused = error
        return line

    async def _submit(self, line: BatchLine, work: ProgramWork) -> None:
        """Submit a line; wait while the queue is full, or the client has too many rows."""
        while delay := self.client.delay(work.rows):
            await asyncio.sleep(min(delay, 1.0))
        loop = asyncio.get_running_loop()
        while True:
            try:
                future = asyncio.wrap_future(self.service.submit(work))
                break
            except QueueFull:
                await asyncio.sleep(FULL_PAUSE)
            except Exception as error:
                self._refuse(line, _refusal(error))
                return
        line.began = loop.time()
        timer = loop.call_later(self.settings.timeout, future.cancel)
        self._futures.add(future)

        def ended(done: asyncio.Future[Any]) -> None:
            timer.cancel()
            self._futures.discard(done)
            self._end(line, work, done)

        future.add_done_callback(ended)

    def _end(self, line: BatchLine, work: ProgramWork, done: asyncio.Future[Any]) -> None:
        if done.cancelled():
            seconds = self.settings.timeout
            text = f"the program was not judged within {seconds:g} s"
            self._refuse(line, RefusedRequest(504, "timeout", text))
            return
        error = done.exception()
        if error is not None:
            self._refuse(line, _refusal(error))
            return
        found = done.result()
        self.metrics.judged(found)
        answer = attrs.asdict(work.answer(found, asyncio.get_running_loop().time() - line.began))
        self._put({"index": line.index, "id": line.id, "result": answer})

    def _refuse(self, line: BatchLine, refused: RefusedRequest) -> None:
        error = {**refused.body()["error"], "status": refused.status}
        self._put({"index": line.index, "id": line.id, "error": error})

    def _put(self, answer: dict[str, Any]) -> None:
        self._finished.put_nowait(encode(answer) + b"\n")


def _refusal(error: BaseException) -> RefusedRequest:
    return refusal_of(error) or RefusedRequest(500, "internal", "an internal error")


async def _left(receive: Receive) -> None:
    """Return when the client closes the connection."""
    with suppress(asyncio.CancelledError):
        while (await receive())["type"] != "http.disconnect":
            pass
