SIZE = 5


def product(a, b):
    rows = []
    for i in range(SIZE):
        rows.append([0.0] * SIZE)
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
            if k != i:
                factor = work[k][i] / work[i][i]
                work[k] = [x - factor * y for x, y in zip(work[k], work[i])]
    return [[x / work[i][i] for x in work[i][SIZE:]] for i in range(SIZE)]


x = threadIdx % 64 + 1
a = []
for i in range(SIZE):
    a.append([])
    for j in range(SIZE):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        a[i].append((x >> 16) % 19 - 9.5)
b = inverse(a)
one = product(a, b)
print(int(b[0][0] * 100000), round(one[1][1]), round(one[2][0]))
