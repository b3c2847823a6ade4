def total(numbers, at=0):
    if at == len(numbers):
        return 0
    return numbers[at] + total(numbers, at + 1)


def depth(tree):
    if tree is None:
        return 0
    left, right = tree
    return 1 + max(depth(left), depth(right))


def flatten(nested):
    if not isinstance(nested, list):
        return [nested]
    found = []
    for item in nested:
        found.extend(flatten(item))
    return found


def hanoi(n, source, target, spare, moves):
    if n == 0:
        return
    hanoi(n - 1, source, spare, target, moves)
    moves.append(source + target)
    hanoi(n - 1, spare, target, source, moves)


print(total(list(range(200))))
tree = None
for i in range(150):
    tree = (tree, None) if i % 3 else (None, tree)
print(depth(tree))
print(flatten([1, [2, [3, [4, [5, [6, [7, [8]]]], 9]]], 10]))
moves = []
hanoi(6, "A", "C", "B", moves)
print(len(moves), " ".join(moves[:16]))


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


print(ackermann(2, 3), ackermann(1, 40))
