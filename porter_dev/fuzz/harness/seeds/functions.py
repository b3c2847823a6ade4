def f(a, b=2, *c, d, e=5, **g):
    def h():
        nonlocal a
        a += 1
        return lambda z: a + z
    return h()(b)
print(f(1, d=3, k=4))
def gen(n):
    for i in range(n):
        got = yield i
        if got: return got
    yield from gen(n - 1)
print(list(gen(3)))
async def co(): await co()
