"""Wait for a launch: forward output and progress, apply the timeout, Ctrl-C and the hard stop."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Protocol, TypeVar

import attrs
from attrs import define

GRACE = 2.0  # seconds from an interruption to the hard stop
STEP = 0.1  # seconds between checks of the clock
LIVE_STEP = 0.002  # seconds between polls of empty rings

T = TypeVar("T")
Pump = Callable[[bool], bool]  # argument: the launch has ended; result: there was output
Watch = Callable[[], None]


class Awaited(Protocol):
    """A launch, or the parts of a launch on several devices."""

    def wait(self, seconds: float | None) -> bool:
        """Wait at most `seconds`; return whether it has ended. Raises LaunchFailed."""


class Writable(Protocol):
    """An interrupt word, or those of several devices."""

    def write(self, value: int) -> None:
        """Set the word."""


class Asked(Protocol):
    """A count of requests to end the launch."""

    @property
    def requests(self) -> int:
        """0: none, 1: interrupt, 2: stop."""


@define
class CtrlC:
    """A context manager that counts Ctrl-C instead of raising it, so that work is not cut short.

    It acts only where Python would raise KeyboardInterrupt: in the main thread, with Python's
    default handler installed.
    """

    count: int = 0
    _installed: bool = attrs.field(default=False, init=False)

    def __enter__(self) -> CtrlC:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
            self._installed = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._installed = False

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.count += 1


@define
class Ended:
    """The exit state of a launch.

    Attributes:
        interrupted: Whether it was interrupted before its own end.
        keyboard: Whether Ctrl-C came.
    """

    interrupted: bool = False
    keyboard: bool = False


def wait(
    running: Awaited,
    interrupt: Writable,
    *,
    end: float | None,
    cancel: Asked,
    stop: int,
    pump: Pump | None = None,
    watch: Watch | None = None,
) -> Ended:
    """Wait for the end of a launch.

    At `end`, on Ctrl-C, or when `cancel` is asked, interpreters are interrupted. After another
    GRACE seconds, or when asked again, they are stopped hard. If `pump` or `watch` raises,
    interpreters are stopped at once, and the exception is raised after their end.

    Args:
        running: The launch.
        interrupt: Its interrupt word.
        end: The time of the timeout, by time.monotonic(); None: no timeout.
        cancel: Requests to end the launch.
        stop: The interrupt word's value for a hard stop.
        pump: Called repeatedly with False, and with True after the end.
        watch: Called every STEP seconds until the end.

    Raises:
        LaunchFailed: The device failed.
    """
    return _Waiting(running, interrupt, end, cancel, stop, pump, watch).run()


@define
class _Waiting:
    running: Awaited
    interrupt: Writable
    end: float | None
    cancel: Asked
    stop: int
    pump: Pump | None
    watch: Watch | None
    _watch_at: float = attrs.field(factory=time.monotonic, init=False)
    _stop_at: float | None = attrs.field(default=None, init=False)
    _flows: bool = attrs.field(default=False, init=False)
    _failed: BaseException | None = attrs.field(default=None, init=False)

    def run(self) -> Ended:
        ended = Ended()
        with CtrlC() as ctrl_c:
            done = False
            while not done:
                try:
                    done = self.running.wait(self._step())
                    self._pump(done)
                    if not done:
                        self._watch()
                        self._look(ended, ctrl_c)
                except KeyboardInterrupt:  # raised by another handler or in another thread
                    ctrl_c.count += 1
            ended.keyboard = ctrl_c.count > 0
            ended.interrupted |= ended.keyboard
        if self._failed is not None:
            raise self._failed
        return ended

    def _step(self) -> float:
        if self._flows:
            return 0
        step = STEP if self.pump is None else LIVE_STEP
        soon = [moment for moment in (self.end, self._stop_at) if moment is not None]
        left = [moment - time.monotonic() for moment in soon]
        return min([step, *(seconds for seconds in left if seconds > 0)])

    def _pump(self, final: bool) -> None:
        pump = self.pump
        if pump is not None and self._failed is None:
            self._flows = self._guarded(lambda: pump(final)) or False

    def _watch(self) -> None:
        now = time.monotonic()
        if self.watch is not None and self._failed is None and now >= self._watch_at:
            self._watch_at = now + STEP
            self._guarded(self.watch)

    def _guarded(self, function: Callable[[], T]) -> T | None:
        try:
            return function()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # Stop interpreters: the memory that they write to is freed after this call.
            self._failed = error
            self._stop()
            return None

    def _look(self, ended: Ended, ctrl_c: CtrlC) -> None:
        now = time.monotonic()
        late = self.end is not None and now >= self.end
        asked = ctrl_c.count + self.cancel.requests
        if self._stop_at is None and (late or asked):
            ended.interrupted = True
            self._stop_at = now + GRACE
            self.interrupt.write(1)
        elif self._stop_at is not None and (now >= self._stop_at or asked > 1):
            self._stop()

    def _stop(self) -> None:
        self.interrupt.write(self.stop)
