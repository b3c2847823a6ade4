def numbers(n):
    try:
        for i in range(n):
            got = yield i
            if got:
                yield from numbers(got)
    finally:
        print("closed", n)


g = numbers(4)
print(next(g), g.send(2), next(g), next(g))
g.close()
print(list(map(lambda x: x * x, filter(None, numbers(5)))))
with_index = dict(enumerate(zip("abc", range(3))))
print(with_index)
