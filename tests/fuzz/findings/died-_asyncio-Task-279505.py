# kind: died
# place: _asyncio.Task
# what: SIGSEGV
v2=None
v2=__import__('_asyncio').Task(0).cancel()
