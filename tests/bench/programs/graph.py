# The shortest way through a maze, and the cheapest one where cells have a price.
from collections import deque
import heapq

SIDE = 6
state = threadIdx % 64 * 2654435761 + 97
cost = []
for _ in range(SIDE * SIDE):
    state = (state * 69069 + 5) % 4294967296
    cost.append((state >> 20) % 10)
cost[0] = 1


def near(cell):
    if cell % SIDE:
        yield cell - 1
    if cell % SIDE < SIDE - 1:
        yield cell + 1
    if cell >= SIDE:
        yield cell - SIDE
    if cell < SIDE * SIDE - SIDE:
        yield cell + SIDE


def reach():
    seen = {0: 0}
    todo = deque((), 40)
    todo.append(0)
    while todo:
        cell = todo.popleft()
        for other in near(cell):
            if cost[other] > 1 and other not in seen:
                seen[other] = seen[cell] + 1
                todo.append(other)
    return len(seen), max(seen.values())


def cheapest():
    done = set()
    todo = [(0, 0)]
    while todo:
        paid, cell = heapq.heappop(todo)
        if cell not in done:
            done.add(cell)
            for other in near(cell):
                if cost[other] > 1 and other not in done:
                    heapq.heappush(todo, (paid + cost[other], other))
    return paid


print(reach(), cheapest())
