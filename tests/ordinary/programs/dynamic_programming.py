def edit_distance(a, b):
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            if i == 0 or j == 0:
                table[i][j] = i + j
            elif a[i - 1] == b[j - 1]:
                table[i][j] = table[i - 1][j - 1]
            else:
                table[i][j] = 1 + min(table[i - 1][j], table[i][j - 1], table[i - 1][j - 1])
    return table[-1][-1]


def common(a, b):
    rows = [[""] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            if x == y:
                rows[i + 1][j + 1] = rows[i][j] + x
            else:
                rows[i + 1][j + 1] = max(rows[i][j + 1], rows[i + 1][j], key=len)
    return rows[-1][-1]


def knapsack(items, capacity):
    best = [0] * (capacity + 1)
    for weight, value in items:
        for room in range(capacity, weight - 1, -1):
            best[room] = max(best[room], best[room - weight] + value)
    return best[capacity]


memo = {}


def ways(amount, coins):
    if amount == 0:
        return 1
    if amount < 0 or not coins:
        return 0
    key = (amount, len(coins))
    if key not in memo:
        memo[key] = ways(amount - coins[0], coins) + ways(amount, coins[1:])
    return memo[key]


print(edit_distance("kitten sitting", "sitting kitten"), edit_distance("", "abc"))
print(common("the quick brown fox", "a thick crown of oxen"))
print(knapsack([(12, 4), (2, 2), (1, 1), (1, 2), (4, 10)], 15))
print(ways(100, (50, 25, 10, 5, 1)), len(memo))
