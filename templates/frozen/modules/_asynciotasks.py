# Methods of tasks that the C type lacks. port/methods.c finds them here.
from asyncio.core import CancelledError


def _finished(self, what):
    if self.state:
        from asyncio._errors import InvalidStateError

        raise InvalidStateError(what)
    if self.state is None:
        self.state = False  # the exception was retrieved
    return self.data


def result(self):
    data = _finished(self, "Result is not set.")
    if isinstance(data, StopIteration):
        return data.value
    raise data


def exception(self):
    data = _finished(self, "Exception is not set.")
    if isinstance(data, StopIteration):
        return None
    if isinstance(data, CancelledError):
        raise data
    return data


def cancelled(self):
    return not self.state and isinstance(self.data, CancelledError)


def get_coro(self):
    return self.coro


def add_done_callback(self, callback, *, context=None):
    from asyncio._futures import on_done

    on_done(self, callback)


def remove_done_callback(self, callback):
    from asyncio._futures import not_done

    return not_done(self, callback)


def get_name(self):
    from asyncio._tasks import _names

    name = _names.get(self, "Task")
    return f"Task-{name}" if isinstance(name, int) else name


def set_name(self, value):
    from asyncio._tasks import _names

    _names[self] = str(value)
