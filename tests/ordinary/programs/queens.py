def solutions(n, columns=()):
    row = len(columns)
    if row == n:
        yield columns
        return
    for column in range(n):
        if all(column != c and abs(column - c) != row - r for r, c in enumerate(columns)):
            yield from solutions(n, columns + (column,))


def count(n, row=0, columns=0, left=0, right=0):
    if row == n:
        return 1
    total = 0
    free = ~(columns | left | right) & ((1 << n) - 1)
    while free:
        bit = free & -free
        free ^= bit
        total += count(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1)
    return total


def show(columns):
    for column in columns:
        print(" ".join("Q" if i == column else "." for i in range(len(columns))))


found = list(solutions(6))
print(len(found), found)
show(next(solutions(8)))
print([count(n) for n in range(1, 8)])
symmetric = set()
for columns in solutions(5):
    mirrored = tuple(4 - c for c in columns)
    if mirrored not in symmetric:
        symmetric.add(columns)
print(sorted(symmetric))
