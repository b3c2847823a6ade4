# Semaphores, conditions and barriers of tasks.
from . import core
from ._queues import _Waiting


class _Context:
    async def __aenter__(self):
        await self.acquire()

    async def __aexit__(self, exc_type, exc, tb):
        self.release()


class Semaphore(_Context):
    def __init__(self, value=1):
        if value < 0:
            raise ValueError("Semaphore initial value must be >= 0")
        self._value = value
        self._waiting = core.TaskQueue()

    def locked(self):
        return self._value == 0

    async def acquire(self):
        while self._value == 0:
            try:
                await _Waiting(self._waiting)
            except core.CancelledError:
                # Another task waits for what release() gave to this one.
                if self._value and self._waiting.peek():
                    core._task_queue.push(self._waiting.pop())
                raise
        self._value -= 1
        return True

    def release(self):
        self._value += 1
        if self._waiting.peek():
            core._task_queue.push(self._waiting.pop())


class BoundedSemaphore(Semaphore):
    def __init__(self, value=1):
        super().__init__(value)
        self._bound = value

    def release(self):
        if self._value >= self._bound:
            raise ValueError("BoundedSemaphore released too many times")
        super().release()


class Condition(_Context):
    def __init__(self, lock=None):
        from .lock import Lock

        self._lock = Lock() if lock is None else lock
        self._waiting = core.TaskQueue()
        self.locked = self._lock.locked
        self.acquire = self._lock.acquire
        self.release = self._lock.release

    async def wait(self):
        if not self.locked():
            raise RuntimeError("cannot wait on un-acquired lock")
        self.release()
        try:
            await _Waiting(self._waiting)
        finally:
            await self.acquire()
        return True

    async def wait_for(self, predicate):
        result = predicate()
        while not result:
            await self.wait()
            result = predicate()
        return result

    def notify(self, n=1):
        if not self.locked():
            raise RuntimeError("cannot notify on un-acquired lock")
        while n > 0 and self._waiting.peek():
            core._task_queue.push(self._waiting.pop())
            n -= 1

    def notify_all(self):
        n = 1 << 40
        self.notify(n)
