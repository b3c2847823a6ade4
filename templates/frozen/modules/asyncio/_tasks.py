# Tasks with names, and the functions of core that create them. core.py has upstream's functions.
from . import core

_create = core.create_task
_names = {}  # of tasks: a name, or the number in it
_count = 0  # of the tasks without a name of their own
_most = 64  # entries of _names before those of finished tasks are dropped


def create_task(coro, *, name=None, context=None):
    global _count, _most
    if not hasattr(coro, "send"):
        raise TypeError(f"a coroutine was expected, got {coro!r}")
    if len(_names) >= _most:
        for task in list(_names):
            if task.done():
                del _names[task]
        _most = max(64, 2 * len(_names))
    task = _create(coro)
    if name is None:
        _count += 1
        name = _count
    _names[task] = name
    return task


def ensure_future(coro_or_future, *, loop=None):
    if isinstance(coro_or_future, core.Task) or hasattr(coro_or_future, "add_done_callback"):
        return coro_or_future
    if hasattr(coro_or_future, "send"):
        return create_task(coro_or_future)
    if not hasattr(coro_or_future, "__iter__") and not hasattr(coro_or_future, "__await__"):
        raise TypeError("An asyncio.Future, a coroutine or an awaitable is required")
    return create_task(_result_of(coro_or_future))


async def _result_of(awaitable):
    return await awaitable


async def sleep(delay, result=None):
    await core.sleep_ms(int(delay * 1000))
    return result


def all_tasks(loop=None):
    return set([task for task in _names if not task.done()])


async def _settle(tasks):
    for task in tasks:
        try:
            await task
        except BaseException:
            pass


def run(main, *, debug=None, loop_factory=None):
    if not hasattr(main, "send"):
        raise ValueError(f"a coroutine was expected, got {main!r}")
    _names.clear()
    try:
        return core.run_until_complete(create_task(main))
    finally:
        tasks = [task for task in _names if not task.done()]
        for task in tasks:
            task.cancel()
        if tasks:
            core.run_until_complete(_create(_settle(tasks)))
        core.new_event_loop()


core.create_task = core.Loop.create_task = create_task
core._promote_to_task = ensure_future
core.sleep = sleep
core.run = run
