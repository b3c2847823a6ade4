# Groups of tasks.
from . import core


class TaskGroup:
    def __init__(self):
        self._tasks = []
        self._errors = []
        self._entered = False
        self._parent = None
        self._waits = False

    async def __aenter__(self):
        if self._entered:
            raise RuntimeError(f"TaskGroup {self!r} has already been entered")
        self._entered = True
        self._parent = core.cur_task
        return self

    def create_task(self, coro, *, name=None, context=None):
        if not self._entered:
            raise RuntimeError(f"TaskGroup {self!r} has not been entered")
        if self._tasks is None:
            raise RuntimeError(f"TaskGroup {self!r} is finished")
        task = core.create_task(self._run(coro), name=name)
        self._tasks.append(task)
        return task

    async def _run(self, coro):
        try:
            return await coro
        except core.CancelledError:
            raise
        except BaseException as error:
            first = not self._errors
            self._errors.append(error)
            if first:
                self._cancel(core.cur_task)
                if not self._waits and not self._parent.done():
                    self._parent.cancel()
            raise core.CancelledError

    def _cancel(self, but):
        for task in self._tasks:
            if task is not but and not task.done():
                task.cancel()

    async def __aexit__(self, exc_type, exc, tb):
        if exc is not None:
            self._cancel(None)
        self._waits = True
        cancelled = None
        i = 0
        while i < len(self._tasks):
            try:
                await self._tasks[i]
            except core.CancelledError as error:
                if not self._tasks[i].done():
                    # The task of the group itself was cancelled.
                    cancelled = error
                    self._cancel(None)
                    continue
            i += 1
        self._tasks = None
        errors = self._errors
        if exc is not None and not isinstance(exc, core.CancelledError):
            errors = errors + [exc]
        if errors:
            raise BaseExceptionGroup("unhandled errors in a TaskGroup", errors)
        if cancelled is not None and exc is None:
            raise cancelled


async def to_thread(func, *args, **kwargs):
    # There are no threads: the call runs at once.
    await core.sleep_ms(0)
    return func(*args, **kwargs)


def iscoroutine(obj):
    return hasattr(obj, "send") and hasattr(obj, "throw")


def iscoroutinefunction(func):
    return hasattr(func, "_parameters") and func._parameters[4]
