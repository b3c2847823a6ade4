from abc import ABC as AbstractContextManager

AbstractAsyncContextManager = AbstractContextManager


class ContextDecorator:
    def __call__(self, func):
        def inner(*args, **kwargs):
            with self:
                return func(*args, **kwargs)

        return inner


class _Manager(ContextDecorator):
    def __init__(self, func, args, kwds):
        self._make = (func, args, kwds)
        self.gen = func(*args, **kwds)

    def __enter__(self):
        for value in self.gen:
            return value
        raise RuntimeError("generator didn't yield")

    def __exit__(self, typ, value, traceback):
        if typ is None:
            for _ in self.gen:
                raise RuntimeError("generator didn't stop")
            return False
        if value is None:
            value = typ()
        try:
            self.gen.throw(value)
        except StopIteration as error:
            return error is not value
        except BaseException as error:
            if error is not value:
                raise
            return False
        raise RuntimeError("generator didn't stop after throw()")

    def __call__(self, func):
        make, args, kwds = self._make

        def inner(*a, **k):
            with _Manager(make, args, kwds):
                return func(*a, **k)

        return inner


def contextmanager(func):
    def helper(*args, **kwds):
        return _Manager(func, args, kwds)

    helper.__name__ = func.__name__
    helper.__wrapped__ = func
    return helper


class closing:
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *exc_info):
        self.thing.close()


class suppress:
    def __init__(self, *exceptions):
        self._exceptions = exceptions

    def __enter__(self):
        pass

    def __exit__(self, exctype, excinst, exctb):
        return exctype is not None and issubclass(exctype, self._exceptions)


class nullcontext:
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result

    def __exit__(self, *excinfo):
        pass


class ExitStack:
    def __init__(self):
        self._callbacks = []

    def enter_context(self, cm):
        cls = type(cm)
        if not hasattr(cls, "__enter__") or not hasattr(cls, "__exit__"):
            raise TypeError(f"'{cls.__name__}' object does not support the context manager protocol")
        result = cm.__enter__()
        self._callbacks.append(cm.__exit__)
        return result

    def push(self, exit):
        self._callbacks.append(getattr(exit, "__exit__", exit))
        return exit

    def callback(self, callback, *args, **kwds):
        self._callbacks.append(lambda *exc: callback(*args, **kwds) and None)
        return callback

    def pop_all(self):
        new = type(self)()
        new._callbacks = self._callbacks
        self._callbacks = []
        return new

    def close(self):
        self.__exit__(None, None, None)

    def __enter__(self):
        return self

    def __exit__(self, typ, value, traceback):
        received = value
        while self._callbacks:
            callback = self._callbacks.pop()
            try:
                if callback(typ, value, traceback) and value is not None:
                    typ = value = traceback = None
            except BaseException as error:
                typ, value, traceback = type(error), error, None
        if value is not None and value is not received:
            raise value
        return received is not None and value is None


class _Redirect:
    def __init__(self, new_target):
        self._new_target = new_target
        self._old_targets = []

    def __enter__(self):
        import sys

        self._old_targets.append(getattr(sys, self._stream))
        setattr(sys, self._stream, self._new_target)
        return self._new_target

    def __exit__(self, exctype, excinst, exctb):
        import sys

        setattr(sys, self._stream, self._old_targets.pop())


class redirect_stdout(_Redirect):
    _stream = "stdout"


class redirect_stderr(_Redirect):
    _stream = "stderr"


class chdir:
    def __init__(self, path):
        self.path = path
        self._old_cwd = []

    def __enter__(self):
        import os

        self._old_cwd.append(os.getcwd())
        os.chdir(self.path)

    def __exit__(self, *excinfo):
        import os

        os.chdir(self._old_cwd.pop())


def __getattr__(name):
    if name in ("aclosing", "AsyncExitStack"):
        import _async_contexts

        return getattr(_async_contexts, name)
    if name == "__all__":
        return [name for name in globals() if name[0] != "_"]
    raise AttributeError(f"module 'contextlib' has no attribute '{name}'")
