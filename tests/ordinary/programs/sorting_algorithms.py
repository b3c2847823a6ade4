def numbers(n, seed=7):
    found = []
    for _ in range(n):
        seed = (seed * 1103515245 + 12345) % 2147483648
        found.append(seed % 1000)
    return found


def insertion(items):
    items = list(items)
    for i in range(1, len(items)):
        value, j = items[i], i
        while j and items[j - 1] > value:
            items[j] = items[j - 1]
            j -= 1
        items[j] = value
    return items


def quick(items):
    if len(items) < 2:
        return items
    pivot = items[len(items) // 2]
    less = [x for x in items if x < pivot]
    same = [x for x in items if x == pivot]
    more = [x for x in items if x > pivot]
    return quick(less) + same + quick(more)


def merge(items):
    if len(items) < 2:
        return items
    middle = len(items) // 2
    left, right = merge(items[:middle]), merge(items[middle:])
    merged = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]


data = numbers(200)
print(sorted(data)[:12], sorted(data, reverse=True)[:6])
for sort in (insertion, quick, merge):
    print(sort.__name__, sort(data) == sorted(data), sort(data)[100:106])
print(sorted(("pear", "fig", "banana", "kiwi"), key=lambda w: (len(w), w)))
