# Futures, callbacks, and the functions that wait for several tasks.
from . import core
from ._errors import InvalidStateError
from ._tasks import ensure_future

_watching = {}  # the handles of the callbacks of tasks that run


class Handle:
    # A call that a task of its own makes.
    def __init__(self, callback, args, when=None):
        self._callback = callback
        self._args = args
        self._when = when
        self._queue = None
        self._task = core.Task(self._run(), core.__dict__)

    def _push(self, queue, delay=0):
        self._queue = queue
        if delay:
            queue.push(self._task, core.ticks_add(core.ticks(), delay))
        else:
            queue.push(self._task)

    def cancel(self):
        queue, self._queue = self._queue, None
        self._callback = self._args = None
        if queue is not None:
            queue.remove(self._task)

    def cancelled(self):
        return self._callback is None

    def when(self):
        return self._when

    async def _run(self):
        self._queue = None
        if self._callback is not None:
            self._callback(*self._args)


def call_soon(callback, *args, context=None):
    handle = Handle(callback, args)
    handle._push(core._task_queue)
    return handle


call_soon_threadsafe = call_soon


def time():
    return core.ticks() / 1000


def call_later(delay, callback, *args, context=None):
    handle = Handle(callback, args, time() + delay)
    handle._push(core._task_queue, max(0, int(delay * 1000)))
    return handle


def call_at(when, callback, *args, context=None):
    return call_later(when - time(), callback, *args)


class Future:
    def __init__(self, *, loop=None):
        self._state = None
        self._value = None
        self._waiting = []  # tasks that wait for the future, and callbacks

    def done(self):
        return self._state is not None

    def cancelled(self):
        return self._state == "cancelled"

    def _check(self, what):
        if self._state is None:
            raise InvalidStateError(what + " is not set.")
        if self._state == "cancelled":
            raise core.CancelledError

    def result(self):
        self._check("Result")
        if self._state == "raised":
            raise self._value
        return self._value

    def exception(self):
        self._check("Exception")
        return self._value if self._state == "raised" else None

    def set_result(self, result):
        self._finish("finished", result)

    def set_exception(self, exception):
        if isinstance(exception, type):
            exception = exception()
        if isinstance(exception, StopIteration):
            raise TypeError("StopIteration interacts badly with generators and cannot be raised "
                            "into a Future")
        self._finish("raised", exception)

    def cancel(self, msg=None):
        if self._state is not None:
            return False
        self._finish("cancelled", None)
        return True

    def _finish(self, state, value):
        if self._state is not None:
            raise InvalidStateError("invalid state")
        self._state = state
        self._value = value
        waiting, self._waiting = self._waiting, ()
        for each in waiting:
            if isinstance(each, core.Task):
                core._task_queue.push(each)
            else:
                call_soon(each, self)

    def add_done_callback(self, fn, *, context=None):
        if self._state is not None:
            call_soon(fn, self)
        else:
            self._waiting.append(fn)

    def remove_done_callback(self, fn):
        count = len(self._waiting)
        self._waiting = [each for each in self._waiting if each != fn]
        return count - len(self._waiting)

    def get_loop(self):
        return core.Loop

    def __iter__(self):
        return self

    __await__ = __iter__

    def __next__(self):
        if self._state is not None:
            raise StopIteration(self.result())
        self._waiting.append(core.cur_task)
        core.cur_task.data = self

    def remove(self, task):
        # The task that waits for the future was cancelled.
        self._waiting.remove(task)
        self.cancel()

    def __repr__(self):
        if self._state == "finished":
            return f"<Future finished result={self._value!r}>"
        if self._state == "raised":
            return f"<Future finished exception={self._value!r}>"
        return f"<Future {self._state or 'pending'}>"


def on_done(task, callback):
    # Call `callback` with a task or future when it is done.
    if not isinstance(task, core.Task):
        task.add_done_callback(callback)
    elif not task.state:
        call_soon(callback, task)
    else:
        iter(task)  # makes the queue of the tasks that wait for this one

        def call(task):
            _watching.pop(task, None)
            callback(task)

        handle = Handle(call, (task,))
        handle._public = callback
        task.state.push(handle._task)
        if task not in _watching:
            _watching[task] = []
        _watching[task].append(handle)


def not_done(task, callback):
    # Forget a callback. Return how many there were.
    if not isinstance(task, core.Task):
        return task.remove_done_callback(callback)
    count = 0
    for handle in _watching.get(task, ()):
        if handle._callback is not None and handle._public == callback:
            handle.cancel()
            count += 1
    return count


class _Gathering(Future):
    def cancel(self, msg=None):
        if self._state is not None:
            return False
        self._requested = True
        for child in self._children:
            child.cancel()
        return True

    def remove(self, task):
        self._waiting.remove(task)
        self.cancel()


def gather(*coros_or_futures, return_exceptions=False):
    outer = _Gathering()
    outer._requested = False
    made = {}  # a coroutine that is given twice has one task
    children = []
    for each in coros_or_futures:
        if id(each) not in made:
            made[id(each)] = ensure_future(each)
        children.append(made[id(each)])
    outer._children = children
    left = len(made)

    def done(child):
        nonlocal left
        left -= 1
        if outer.done():
            return
        if not return_exceptions:
            if child.cancelled():
                outer.set_exception(core.CancelledError())
                return
            error = child.exception()
            if error is not None:
                outer.set_exception(error)
                return
        if left:
            return
        if outer._requested:
            outer.set_exception(core.CancelledError())
            return
        results = []
        for child in children:
            error = core.CancelledError() if child.cancelled() else child.exception()
            results.append(child.result() if error is None else error)
        outer.set_result(results)

    for child in made.values():
        on_done(child, done)
    if not children:
        outer.set_result([])
    return outer


FIRST_COMPLETED = "FIRST_COMPLETED"
FIRST_EXCEPTION = "FIRST_EXCEPTION"
ALL_COMPLETED = "ALL_COMPLETED"


def _failed(task):
    return not task.cancelled() and task.exception() is not None


async def wait(fs, *, timeout=None, return_when=ALL_COMPLETED):
    tasks = list(fs)
    if not tasks:
        raise ValueError("Set of Tasks/Futures is empty.")
    if return_when not in (FIRST_COMPLETED, FIRST_EXCEPTION, ALL_COMPLETED):
        raise ValueError(f"Invalid return_when value: {return_when}")
    for task in tasks:
        if hasattr(task, "send"):
            raise TypeError("Passing coroutines is forbidden, use tasks explicitly.")
    running = [task for task in tasks if not task.done()]
    left = len(running)
    ended = (not running or return_when == FIRST_COMPLETED and left < len(tasks)
             or return_when == FIRST_EXCEPTION
             and any([task.done() and _failed(task) for task in tasks]))
    if not ended:
        waiter = Future()

        def release(task=None):
            nonlocal left
            left -= 1
            if not waiter.done() and (
                    task is None or not left or return_when == FIRST_COMPLETED
                    or return_when == FIRST_EXCEPTION and _failed(task)):
                waiter.set_result(None)

        for task in running:
            on_done(task, release)
        timer = None if timeout is None else call_later(timeout, release)
        try:
            await waiter
        finally:
            if timer is not None:
                timer.cancel()
            for task in running:
                not_done(task, release)
    return (set([task for task in tasks if task.done()]),
            set([task for task in tasks if not task.done()]))


class _Completed:
    # The result of as_completed(): it iterates over coroutines, and asynchronously over tasks.
    def __init__(self, fs, timeout):
        self._tasks = []
        for each in fs:
            self._tasks.append(ensure_future(each))
        self._left = len(self._tasks)
        self._done = []
        self._waiting = []
        self._timer = None
        self._expired = False
        for task in self._tasks:
            on_done(task, self._add)
        if timeout is not None and self._left:
            self._timer = call_later(timeout, self._expire)

    def _add(self, task):
        self._done.append(task)
        if self._timer is not None and len(self._done) == len(self._tasks):
            self._timer.cancel()
        self._wake()

    def _expire(self):
        for task in self._tasks:
            not_done(task, self._add)
        self._expired = True
        while self._waiting:
            self._wake()

    def _wake(self):
        if self._waiting:
            waiter = self._waiting.pop(0)
            if not waiter.done():
                waiter.set_result(None)

    async def _next(self, whole):
        while not self._done:
            if self._expired:
                raise TimeoutError
            waiter = Future()
            self._waiting.append(waiter)
            await waiter
        task = self._done.pop(0)
        return task if whole else task.result()

    def __iter__(self):
        return self

    __aiter__ = __iter__

    def __next__(self):
        if not self._left:
            raise StopIteration
        self._left -= 1
        return self._next(False)

    async def __anext__(self):
        if not self._left:
            raise StopAsyncIteration
        self._left -= 1
        return await self._next(True)


def as_completed(fs, *, timeout=None):
    return _Completed(list(fs), timeout)


def shield(arg):
    # A cancelled caller leaves the task running.
    inner = ensure_future(arg)
    if inner.done():
        return inner
    outer = Future()

    def done(task):
        if outer.done():
            return
        if task.cancelled():
            outer.cancel()
        elif task.exception() is not None:
            outer.set_exception(task.exception())
        else:
            outer.set_result(task.result())

    on_done(inner, done)
    return outer


class Timeout:
    def __init__(self, delay):
        self._when = None if delay is None else time() + delay
        self._timer = self._task = None
        self._expired = False

    def when(self):
        return self._when

    def expired(self):
        return self._expired

    def reschedule(self, when):
        self._when = when
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if when is None else call_at(when, self._expire)

    def _expire(self):
        self._expired = True
        self._timer = None
        if not self._task.done():
            self._task.cancel()

    async def __aenter__(self):
        self._task = core.cur_task
        self.reschedule(self._when)
        return self

    async def __aexit__(self, exc_type, exc, tb):
        if self._timer is not None:
            self._timer.cancel()
        if self._expired and exc is not None and isinstance(exc, core.CancelledError):
            raise TimeoutError from exc


def timeout(delay):
    return Timeout(delay)


def timeout_at(when):
    return Timeout(None if when is None else when - time())


async def wait_for(fut, timeout):
    if timeout is not None and timeout <= 0:
        fut = ensure_future(fut)
        if fut.done():
            return fut.result()
        fut.cancel()
        try:
            return await fut
        except core.CancelledError:
            raise TimeoutError
    async with Timeout(timeout):
        return await fut


def isfuture(obj):
    return isinstance(obj, (core.Task, Future))
