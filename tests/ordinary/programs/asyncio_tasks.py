import asyncio

log = []


async def worker(name, queue, results):
    while queue:
        job = queue.pop(0)
        await asyncio.sleep(0)
        results.append((job, job * job))
        log.append(name)
    return name


async def ticker(n, event):
    for i in range(n):
        await asyncio.sleep(0.001)
    event.set()
    return n


async def slow():
    try:
        await asyncio.sleep(100)
    except asyncio.CancelledError:
        log.append("cancelled")
        raise


async def main():
    queue, results = list(range(12)), []
    names = await asyncio.gather(*(worker("w%d" % i, queue, results) for i in range(3)))
    print(names, sorted(results) == [(i, i * i) for i in range(12)])
    event = asyncio.Event()
    task = asyncio.create_task(ticker(3, event))
    await event.wait()
    print("ticked", await task)
    try:
        await asyncio.wait_for(slow(), 0.01)
    except asyncio.TimeoutError:
        print("timeout")
    lock = asyncio.Lock()
    async with lock:
        print("locked", lock.locked())
    print(lock.locked())


asyncio.run(main())
print(sorted(set(log)), len(log))
