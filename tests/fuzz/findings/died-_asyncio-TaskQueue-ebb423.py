# kind: died
# place: _asyncio.TaskQueue
# what: SIGSEGV
v1=None
v1=__import__('_asyncio').TaskQueue().remove(0)
