# The asynchronous context managers of contextlib.


class aclosing:
    __module__ = "contextlib"

    def __init__(self, thing):
        self.thing = thing

    async def __aenter__(self):
        return self.thing

    async def __aexit__(self, *exc_info):
        await self.thing.aclose()


class AsyncExitStack:
    __module__ = "contextlib"

    def __init__(self):
        self._callbacks = []

    async def enter_async_context(self, cm):
        result = await cm.__aenter__()
        self._callbacks.append((True, cm.__aexit__))
        return result

    def enter_context(self, cm):
        result = cm.__enter__()
        self._callbacks.append((False, cm.__exit__))
        return result

    def push_async_callback(self, callback, *args, **kwds):
        async def call(*exc):
            await callback(*args, **kwds)

        self._callbacks.append((True, call))

    def callback(self, callback, *args, **kwds):
        self._callbacks.append((False, lambda *exc: callback(*args, **kwds) and None))

    async def aclose(self):
        await self.__aexit__(None, None, None)

    async def __aenter__(self):
        return self

    async def __aexit__(self, typ, value, traceback):
        received = value
        while self._callbacks:
            waits, callback = self._callbacks.pop()
            try:
                done = callback(typ, value, traceback)
                if waits:
                    done = await done
                if done and value is not None:
                    typ = value = None
            except BaseException as error:
                typ, value = type(error), error
        if value is not None and value is not received:
            raise value
        return received is not None and value is None
