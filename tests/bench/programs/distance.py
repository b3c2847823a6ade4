# The knapsack problem, and the longest common subsequence of two lists.
def bag(sizes, values, room):
    best = [0] * (room + 1)
    for size, value in zip(sizes, values):
        for left in range(room, size - 1, -1):
            best[left] = max(best[left], best[left - size] + value)
    return best[room]


def common(one, other):
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one)):
        for j in range(len(other)):
            table[i + 1][j + 1] = (
                table[i][j] + 1 if one[i] == other[j] else max(table[i][j + 1], table[i + 1][j])
            )
    return table[-1][-1]


n = threadIdx % 64
numbers = [(n + 11) * (k + 7) * 7919 % 1009 for k in range(24)]
small = [v % 5 for v in numbers]
print(bag([v % 9 + 1 for v in numbers[:8]], numbers, 30), common(small[:11], small[11:]))
