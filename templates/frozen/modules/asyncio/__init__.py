# Upstream's asyncio, and names of CPython's that it lacks. Names are loaded when a program first asks
# for them.
import builtins
from . import core
from .core import *
from . import _tasks
from ._tasks import all_tasks, create_task, ensure_future, run, sleep

# `except TimeoutError` catches what wait_for() raises.
TimeoutError = core.TimeoutError = builtins.TimeoutError

__version__ = (3, 0, 0)
del get_event_loop, new_event_loop

_PARTS = {
    "funcs": ("wait_for_ms",),
    "event": ("Event", "ThreadSafeFlag"),
    "lock": ("Lock",),
    "stream": ("open_connection", "start_server", "StreamReader", "StreamWriter"),
    "_queues": ("Queue", "PriorityQueue", "LifoQueue", "QueueEmpty", "QueueFull", "QueueShutDown"),
    "_locks": ("Semaphore", "BoundedSemaphore", "Condition"),
    "_groups": ("TaskGroup", "iscoroutine", "iscoroutinefunction", "to_thread"),
    "_futures": ("Future", "Handle", "gather", "wait", "wait_for", "as_completed", "shield",
                 "timeout", "timeout_at", "Timeout", "isfuture", "FIRST_COMPLETED",
                 "FIRST_EXCEPTION", "ALL_COMPLETED"),
    "_loop": ("get_event_loop", "get_running_loop", "new_event_loop", "set_event_loop"),
    "_errors": ("InvalidStateError",),
}


def __getattr__(name):
    for part, names in _PARTS.items():
        if name in names:
            value = getattr(__import__(part, globals(), None, True, 1), name)
            globals()[name] = value
            return value
    if name == "__all__":
        names = [name for name in globals() if name[0] != "_"]
        for part in _PARTS.values():
            names.extend(part)
        return names
    raise AttributeError(f"module 'asyncio' has no attribute '{name}'")
