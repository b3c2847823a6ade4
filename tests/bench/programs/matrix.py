# Determinants without fractions, and a power of a matrix modulo a prime.
def determinant(rows):
    rows = [list(row) for row in rows]
    sign, last = 1, 1
    while len(rows) > 1:
        for k, row in enumerate(rows):
            if row[0]:
                break
        else:
            return 0
        if k:
            rows[0], rows[k] = rows[k], rows[0]
            sign = -sign
        head = rows[0]
        rows = [
            [(head[0] * row[j] - row[0] * head[j]) // last for j in range(1, len(row))]
            for row in rows[1:]
        ]
        last = head[0]
    return sign * rows[0][0]


def times(a, b):
    return [[sum([x * y for x, y in zip(row, column)]) % 9973 for column in zip(*b)] for row in a]


n = threadIdx % 64
a = [[(n + 1) * (i * 5 + j * 3 + i * j) % 23 - 4 for j in range(4)] for i in range(4)]
b = a
for bit in bin(n + 70)[3:]:
    b = times(b, b)
    if bit == "1":
        b = times(b, a)
print(determinant(a), b[1])
