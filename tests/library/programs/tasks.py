import asyncio
async def work(n, t=0.0):
    await asyncio.sleep(t)
    return n * n
async def bad(t=0.0):
    await asyncio.sleep(t)
    raise ValueError("bad")
async def producer(q, n):
    for i in range(n):
        await q.put(i)
    await q.put(None)
async def consumer(q, out):
    while True:
        item = await q.get()
        q.task_done()
        if item is None:
            break
        out.append(item)
async def main():
    for kind in (asyncio.Queue, asyncio.PriorityQueue, asyncio.LifoQueue):
        q = kind()
        for i in (3, 1, 2):
            q.put_nowait(i)
        print(kind.__name__, [q.get_nowait() for _ in range(3)], q.empty(), q.full(), q.qsize())
    try:
        q.get_nowait()
    except asyncio.QueueEmpty:
        print("empty")
    q = asyncio.Queue(2)
    out = []
    await asyncio.gather(producer(q, 6), consumer(q, out))
    print(out, q.maxsize)
    await q.join()
    q.put_nowait(1); q.put_nowait(2)
    try:
        q.put_nowait(3)
    except asyncio.QueueFull:
        print("full")
    print(await asyncio.gather(work(2), work(3)))
    print([type(r).__name__ if isinstance(r, Exception) else r for r in await asyncio.gather(work(2), bad(), return_exceptions=True)])
    try:
        await asyncio.gather(work(2), bad())
    except ValueError as e:
        print(e)
    try:
        await asyncio.wait_for(work(1, 10), 0.01)
    except TimeoutError as e:
        print("timeout", isinstance(e, asyncio.TimeoutError))
    print(await asyncio.wait_for(work(5), 5))
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(10)
    except TimeoutError:
        print("timeout 2")
    async with asyncio.timeout(5) as t:
        await asyncio.sleep(0)
    print(t.expired())
    async with asyncio.TaskGroup() as tg:
        a = tg.create_task(work(3))
        b = tg.create_task(work(4, 0.01))
    print(a.result(), b.result(), a.done(), a.exception(), a.cancelled())
async def more():
    try:
        async with asyncio.TaskGroup() as tg:
            a = tg.create_task(bad())
            b = tg.create_task(work(4, 10))
    except BaseExceptionGroup as e:
        print(repr(e), b.cancelled())
    try:
        async with asyncio.TaskGroup() as tg:
            tg.create_task(work(4, 10))
            raise KeyError(1)
    except BaseExceptionGroup as e:
        print(repr(e))
    s = asyncio.Semaphore(2)
    running = 0
    most = 0
    async def limited(i):
        nonlocal running, most
        async with s:
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            running -= 1
    await asyncio.gather(*[limited(i) for i in range(6)])
    print(most, s.locked())
    e = asyncio.Event()
    async def waiter(i):
        await e.wait()
        return i
    t = [asyncio.create_task(waiter(i)) for i in range(3)]
    await asyncio.sleep(0)
    e.set()
    print(await asyncio.gather(*t), e.is_set())
    c = asyncio.Condition()
    got = []
    async def cond(i):
        async with c:
            await c.wait()
            got.append(i)
    t = [asyncio.create_task(cond(i)) for i in range(3)]
    await asyncio.sleep(0)
    async with c:
        c.notify_all()
    await asyncio.gather(*t)
    print(sorted(got))
    lock = asyncio.Lock()
    async with lock:
        print(lock.locked())
    done, pending = await asyncio.wait([asyncio.create_task(work(i)) for i in range(3)])
    print(sorted(t.result() for t in done), pending)
    done, pending = await asyncio.wait([asyncio.create_task(work(1)), asyncio.create_task(work(2, 5))], return_when=asyncio.FIRST_COMPLETED)
    print(len(done), len(pending))
    for p in pending: p.cancel()
    found = []
    for x in asyncio.as_completed([work(1), work(2)]):
        found.append(await x)
    print(sorted(found))
    task = asyncio.create_task(work(1, 10))
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print("cancelled", task.cancelled())
    task = asyncio.create_task(work(1, 1))
    try:
        task.result()
    except asyncio.InvalidStateError:
        print("not yet")
    task.cancel()
    print(await asyncio.to_thread(max, 3, 4), asyncio.iscoroutinefunction(work))
asyncio.run(main())
asyncio.run(more())
