import heapq

ROADS = """
A B 7; A C 9; A F 14; B C 10; B D 15; C D 11; C F 2; D E 6; E F 9; G H 1
"""


def read(text):
    graph = {}
    for road in text.strip().split(";"):
        a, b, length = road.split()
        graph.setdefault(a, []).append((b, int(length)))
        graph.setdefault(b, []).append((a, int(length)))
    return graph


def shortest(graph, start):
    distance, before = {start: 0}, {}
    heap = [(0, start)]
    while heap:
        far, town = heapq.heappop(heap)
        if far > distance[town]:
            continue
        for other, length in graph[town]:
            if far + length < distance.get(other, 1 << 30):
                distance[other] = far + length
                before[other] = town
                heapq.heappush(heap, (far + length, other))
    return distance, before


def path(before, start, end):
    way = [end]
    while way[-1] != start:
        way.append(before[way[-1]])
    return "-".join(reversed(way))


graph = read(ROADS)
distance, before = shortest(graph, "A")
for town in sorted(distance):
    print(town, distance[town], path(before, "A", town))
print("H" in distance)
grid = {}
for x in range(8):
    for y in range(8):
        at = "%d%d" % (x, y)
        grid[at] = [
            ("%d%d" % (i, j), (i * j * 7 + 3) % 9 + 1)
            for i, j in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1))
            if 0 <= i < 8 and 0 <= j < 8
        ]
distance, before = shortest(grid, "00")
print(distance["77"], path(before, "00", "77"))
heap = [5, 1, 8, 3, 2]
heapq.heapify(heap)
print([heapq.heappop(heap) for _ in range(5)])
