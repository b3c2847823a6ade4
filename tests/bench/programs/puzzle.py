# Ways to place queens after a first row that is given, by bits; and sums of a few numbers.
def queens(size, columns, left, right):
    full = (1 << size) - 1
    if columns == full:
        return 1
    count = 0
    free = full & ~(columns | left | right)
    while free:
        bit = free & -free
        free ^= bit
        count += queens(size, columns | bit, (left | bit) << 1 & full, (right | bit) >> 1)
    return count


def sums(numbers, goal, chosen):
    if goal == 0:
        return chosen
    for k, number in enumerate(numbers):
        if number <= goal:
            found = sums(numbers[k + 1 :], goal - number, chosen + [number])
            if found:
                return found
    return None


n = threadIdx % 64
bit = 1 << n % 5
numbers = [(n + 7) * (k + 3) % 29 + 2 for k in range(8)]
print(queens(5, bit, bit << 1 & 31, bit >> 1), sums(numbers, 40 + n % 3, []))
