# The C module compares items only, so this one has keys, and the operations that it lacks.
from uheapq import heapify, heappop, heappush


def heappushpop(heap, item):
    if heap and heap[0] < item:
        item, heap[0] = heap[0], item
        _sift(heap, 0)
    return item


def heapreplace(heap, item):
    found = heap[0]
    heap[0] = item
    _sift(heap, 0)
    return found


def _sift(heap, place):
    # Move the item at `place` down to where no child is smaller: first along the smaller children
    # to a leaf, then up again, as a new item is seldom small.
    end = len(heap)
    start = place
    item = heap[place]
    child = 2 * place + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    while place > start:
        parent = (place - 1) >> 1
        if not item < heap[parent]:
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = item


def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:max(n, 0)]


def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:max(n, 0)]


def merge(*iterables, key=None, reverse=False):
    # Entries [key, number, item, iterator] in order; the number keeps the order of equal keys.
    entries = []
    for number, iterable in enumerate(iterables):
        iterator = iter(iterable)
        for item in iterator:
            entries.append([item if key is None else key(item), number, item, iterator])
            break
    entries.sort(key=lambda entry: entry[0], reverse=reverse)
    while entries:
        entry = entries[0]
        _, number, item, iterator = entry
        yield item
        for item in iterator:
            break
        else:
            entries.pop(0)
            continue
        value = item if key is None else key(item)
        low, high = 1, len(entries)
        while low < high:
            middle = (low + high) >> 1
            other = entries[middle]
            if (value < other[0]) if reverse else (other[0] < value):
                low = middle + 1
            elif (other[0] < value) if reverse else (value < other[0]):
                high = middle
            elif other[1] < number:
                low = middle + 1
            else:
                high = middle
        for i in range(1, low):
            entries[i - 1] = entries[i]
        entry[0] = value
        entry[2] = item
        entries[low - 1] = entry


def _max(name):
    # Heaps whose first item is the largest (CPython 3.14).
    class Reversed:
        def __init__(self, item):
            self.item = item

        def __lt__(self, other):
            return other.item < self.item

    operation = globals()[name.replace("_max", "")]

    def call(heap, *args):
        wrapped = [Reversed(item) for item in heap]
        result = operation(wrapped, *[Reversed(arg) for arg in args])
        heap[:] = [entry.item for entry in wrapped]
        return result.item if isinstance(result, Reversed) else result

    return call


def __getattr__(name):
    if name == "__all__":
        return ("heapify", "heappop", "heappush", "heappushpop", "heapreplace", "merge",
                "nlargest", "nsmallest")
    if name in ("heapify_max", "heappop_max", "heappush_max", "heappushpop_max", "heapreplace_max"):
        return _max(name)
    if name in ("_heapify_max", "_heappop_max", "_heapreplace_max"):
        return _max(name[1:])
    raise AttributeError(f"module 'heapq' has no attribute '{name}'")
