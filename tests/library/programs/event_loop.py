import asyncio
async def w(n, r=None, fail=None):
    await asyncio.sleep(n / 100)
    if fail: raise fail
    return r if r is not None else n
async def t1():
    try: await asyncio.wait_for(asyncio.sleep(1), 0.01)
    except asyncio.TimeoutError: print('timeout')
    print(await asyncio.wait_for(w(1), 1), await asyncio.wait_for(w(1), None))
    try: await asyncio.wait_for(w(1, fail=ValueError('x')), 1)
    except ValueError as e: print('VE', e)
    try: await asyncio.wait_for(w(5), 0)
    except TimeoutError: print('zero')
async def t2():
    print(await asyncio.gather(asyncio.sleep(0.02, 'a'), asyncio.sleep(0.01, 'b'), w(1)))
    print(await asyncio.gather(w(1), w(2, fail=KeyError('k')), return_exceptions=True))
    try: print(await asyncio.gather(w(1), w(2, fail=KeyError('k'))))
    except KeyError as e: print('KE', e)
    print(await asyncio.gather())
async def t3():
    for c in asyncio.as_completed([w(3), w(1), w(2)]): print(await c)
    try:
        for c in asyncio.as_completed([w(1), w(500)], timeout=0.3): print(await c)
    except TimeoutError: print('TO')
async def t4():
    out = []
    t = asyncio.create_task(w(1), name='T')
    t.add_done_callback(lambda t: out.append((t.get_name(), t.result())))
    def cb(t): out.append('removed')
    t.add_done_callback(cb)
    print(t.remove_done_callback(cb), t.remove_done_callback(cb))
    await t
    await asyncio.sleep(0)
    print(out, t.get_name())
    t.set_name('U'); print(t.get_name())
    print(asyncio.current_task().get_name()[:5])
async def t5():
    loop = asyncio.get_running_loop()
    f = loop.create_future()
    loop.call_soon(f.set_result, 5)
    print(await f, f.done(), f.result(), f)
    order = []
    h = loop.call_later(0.02, order.append, 'later')
    loop.call_later(0.01, order.append, 'sooner')
    c = loop.call_later(0.005, order.append, 'never'); c.cancel()
    loop.call_soon(order.append, 'soon')
    await asyncio.sleep(0.05)
    print(order, c.cancelled(), h.cancelled())
    print(await loop.run_in_executor(None, lambda a: a + 1, 4))
    t0 = loop.time(); await asyncio.sleep(0.02); print(0.01 < loop.time() - t0 < 5)
    f = loop.create_future(); f.set_exception(ValueError('v'))
    try: await f
    except ValueError as e: print('V', e)
    f = asyncio.Future(); print(f.cancel(), f.cancelled(), f.cancel())
    try: await f
    except asyncio.CancelledError: print('C')
    try: f.set_result(1)
    except asyncio.InvalidStateError as e: print('ISE', e)
    f = asyncio.Future()
    try: f.result()
    except asyncio.InvalidStateError as e: print(e)
    f.add_done_callback(lambda f: print('cb', f.result())); f.set_result(3); await asyncio.sleep(0)
async def t6():
    ts = [asyncio.create_task(w(n)) for n in (3, 1, 2)]
    d, p = await asyncio.wait(ts, return_when=asyncio.FIRST_COMPLETED)
    print(len(d), len(p), [t.result() for t in d])
    d, p = await asyncio.wait(ts, timeout=0.5); print(len(d), len(p))
    ts = [asyncio.create_task(w(300)), asyncio.create_task(w(1, fail=ValueError()))]
    d, p = await asyncio.wait(ts, return_when=asyncio.FIRST_EXCEPTION); print(len(d), len(p))
    d, p = await asyncio.wait(ts, timeout=0.001); print(len(d), len(p))
    for t in p: t.cancel()
    try: await asyncio.wait([]) 
    except ValueError as e: print(e)
async def child(name):
    try: await asyncio.sleep(10)
    except asyncio.CancelledError: print(name, 'cancelled'); raise
async def t7():
    async def inner(): await asyncio.gather(child('a'), child('b'))
    t = asyncio.create_task(inner()); await asyncio.sleep(0.01); t.cancel()
    try: await t
    except asyncio.CancelledError: print('main saw')
    t = asyncio.create_task(w(2, 'kept'))
    async def waiter(): return await asyncio.shield(t)
    x = asyncio.create_task(waiter()); await asyncio.sleep(0); x.cancel()
    try: await x
    except asyncio.CancelledError: print('shielded')
    print(await t)
    try:
        async with asyncio.timeout(0.01): await asyncio.sleep(5)
    except TimeoutError: print('T')
    async with asyncio.timeout(1) as cm: await asyncio.sleep(0.01)
    print(cm.expired())
    async with asyncio.TaskGroup() as tg:
        a = tg.create_task(w(1, 'ga'), name='G'); b = tg.create_task(w(2, 'gb'))
    print(a.result(), b.result(), a.get_name())
    asyncio.create_task(child('left'))
    await asyncio.sleep(0)
    print(len(asyncio.all_tasks()))
async def log(n):
    for i in range(3): print(n, i); await asyncio.sleep(0)
async def t8():
    await asyncio.gather(log('A'), log('B'), log('C'))
    q = asyncio.Queue()
    async def prod():
        for i in range(3): await q.put(i); await asyncio.sleep(0.01)
        await q.put(None)
    async def cons():
        while (x := await q.get()) is not None: print('got', x)
    await asyncio.gather(prod(), cons())
    ev = asyncio.Event()
    async def we(): await ev.wait(); print('ev')
    t = asyncio.create_task(we()); await asyncio.sleep(0); ev.set(); await t
    try: await asyncio.wait_for(asyncio.Event().wait(), 0.01)
    except TimeoutError: print('evt')
    print(asyncio.isfuture(t), asyncio.isfuture(5))
for t in (t1, t2, t3, t4, t5, t6, t7, t8):
    print(t.__name__); asyncio.run(t())
async def names():
    t = asyncio.create_task(w(0)); u = asyncio.ensure_future(w(0))
    print(t is asyncio.ensure_future(t)); await t; await u
    return 'ret'
print(asyncio.run(names(), debug=False))
try: asyncio.run(5)
except (ValueError, TypeError) as e: print(e)
loop = asyncio.new_event_loop(); asyncio.set_event_loop(loop)
print(loop.run_until_complete(w(1)), loop.is_running(), loop.is_closed())
loop.close()
