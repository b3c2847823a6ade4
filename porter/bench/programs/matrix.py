SIZE = 5


def product(a, b):
    rows = [[0.0] * SIZE for _ in range(SIZE)]
    for i in range(SIZE):
        for j in range(SIZE):
            for k in range(SIZE):
                rows[i][j] += a[i][k] * b[k][j]
    return rows


def inverse(a):
    work = []
    for i in range(SIZE):
        work.append(a[i] + [0.0] * SIZE)
        work[i][SIZE + i] = 1.0
    for i in range(SIZE):
        best = max([(abs(work[k][i]), k) for k in range(i, SIZE)])[1]
        work[i], work[best] = work[best], work[i]
        for k in range(SIZE):
            if k != i and work[k][i] != 0.0:
                factor = work[k][i] / work[i][i]
                work[k] = [x - factor * y for x, y in zip(work[k], work[i])]
    return [[x / work[i][i] for x in work[i][SIZE:]] for i in range(SIZE)]


x = threadIdx % 64 + 1
a = [[0.0] * SIZE for _ in range(SIZE)]
for row in a:
    for j in range(SIZE):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        row[j] = (x >> 16) % 19 - 9.5
b = inverse(a)
print(int(b[0][0] * 100000), [round(x) for x in product(a, b)[2]])
