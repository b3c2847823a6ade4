def collatz(x):
    steps = 0
    while x != 1:
        x = x * 3 + 1 if x % 2 else x // 2
        steps += 1
    return steps


def digits(x):
    return "".join(sorted(str(x * 7919 + i) for i in range(10)))[:8]


def halves(x):
    low, high = 0.0, x + 1.0
    for _ in range(40):
        middle = (low + high) / 2
        if middle * middle > x:
            high = middle
        else:
            low = middle
    return int(low * 1000)


def counting(x):
    seen = {}
    for i in range(60):
        key = i * x % 7
        seen[key] = seen.get(key, 0) + 1
    return sorted(seen.items())[:2]


def failing(x):
    caught = 0
    for i in range(30):
        try:
            [1, 2, 3][i % (x % 5 + 2)]
        except IndexError:
            caught += 1
    return caught


def flattened(x):
    nested = [[i * j for j in range(x % 4)] for i in range(10)]
    return sum([sum(row) for row in nested])


PATHS = (collatz, digits, halves, counting, failing, flattened)
print(PATHS[threadIdx % 6](threadIdx % 96 + 1))
