def count(start, step=1):
    while True:
        yield start
        start += step


def take(n, items):
    for _ in range(n):
        yield next(items)


def sieve():
    composite = {}
    for n in count(2):
        factor = composite.pop(n, None)
        if factor is None:
            yield n
            composite[n * n] = n
        else:
            multiple = n + factor
            while multiple in composite:
                multiple += factor
            composite[multiple] = factor


def permutations(items):
    if len(items) <= 1:
        yield list(items)
        return
    for i, first in enumerate(items):
        for rest in permutations(items[:i] + items[i + 1 :]):
            yield [first] + rest


def running_average():
    total, n, value = 0, 0, None
    while True:
        value = yield None if value is None else total / n
        total += value
        n += 1


def chain(*parts):
    for part in parts:
        yield from part


print(list(take(25, sieve())))
print(len(list(permutations([1, 2, 3, 4]))), ["".join(p) for p in permutations("abc")])
average = running_average()
next(average)
print([average.send(x) for x in (10, 20, 60, 2)])
print(list(chain("ab", range(3), (x * x for x in range(4)))))
