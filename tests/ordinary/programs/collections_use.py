from collections import OrderedDict, deque, namedtuple

Point = namedtuple("Point", ("x", "y"))
Step = namedtuple("Step", "at cost")


class Cache:
    def __init__(self, size):
        self.size = size
        self.items = OrderedDict()
        self.hits = 0

    def get(self, key, make):
        if key in self.items:
            self.hits += 1
            value = self.items.pop(key)
        else:
            value = make(key)
            if len(self.items) >= self.size:
                del self.items[next(iter(self.items))]
        self.items[key] = value
        return value


MAZE = [
    "##########",
    "#S  #    #",
    "# # # ## #",
    "# #   #  #",
    "# ##### ##",
    "#       E#",
    "##########",
]


def find(mark):
    for y, row in enumerate(MAZE):
        if mark in row:
            return Point(row.index(mark), y)


def walk(start, end):
    queue, seen = deque((), 100), {start}
    queue.append(Step(start, 0))
    while queue:
        step = queue.popleft()
        if step.at == end:
            return step.cost, len(seen)
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            at = Point(step.at.x + dx, step.at.y + dy)
            if MAZE[at.y][at.x] != "#" and at not in seen:
                seen.add(at)
                queue.append(Step(at, step.cost + 1))


print(find("S"), find("E"), walk(find("S"), find("E")))
cache = Cache(3)
print([cache.get(n, lambda k: k * k) for n in (1, 2, 3, 1, 4, 2, 1)], cache.hits)
print(list(cache.items.items()))
