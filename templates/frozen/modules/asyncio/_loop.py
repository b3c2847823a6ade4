# The event loop's methods that upstream's class lacks, and the functions that return the loop.
from . import core
from ._futures import Future, call_at, call_later, call_soon, time


def _executed(executor, func, *args):
    # There are no threads: the call runs at once.
    future = Future()
    try:
        future.set_result(func(*args))
    except Exception as error:
        future.set_exception(error)
    return future


async def _nothing():
    pass


def _until(future):
    from ._tasks import _result_of, ensure_future

    task = ensure_future(future)
    if not isinstance(task, core.Task):
        task = ensure_future(_result_of(task))
    return core.run_until_complete(task)


_loop = core.Loop
_loop.create_future = Future
_loop.call_soon = _loop.call_soon_threadsafe = call_soon
_loop.call_later = call_later
_loop.call_at = call_at
_loop.time = time
_loop.run_in_executor = _executed
_loop.run_until_complete = _until
_loop.is_running = lambda: core.cur_task is not None
_loop.is_closed = lambda: False
_loop.shutdown_asyncgens = _loop.shutdown_default_executor = _nothing
_loop.get_debug = lambda: False
_loop.set_debug = lambda enabled: None
_new = core.new_event_loop


def get_event_loop(runq_len=0, waitq_len=0):
    return _loop


def get_running_loop():
    if core.cur_task is None:
        raise RuntimeError("no running event loop")
    return _loop


def new_event_loop():
    return _new()


def set_event_loop(loop):
    pass
