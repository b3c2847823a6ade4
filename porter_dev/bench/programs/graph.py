from heapq import heappop, heappush

SIZE = 12


def network(seed):
    x = seed
    edges = {}
    for node in range(SIZE):
        edges[node] = []
        for _ in range(3):
            x = (x * 1103515245 + 12345) & 0x7FFFFFFF
            edges[node].append(((x >> 16) % SIZE, (x >> 8) % 9 + 1))
    return edges


def hops(edges, start):
    level = {start: 0}
    queue = [start]
    for node in queue:
        for other, _ in edges[node]:
            if other not in level:
                level[other] = level[node] + 1
                queue.append(other)
    return level


def distances(edges, start):
    best = {}
    heap = [(0, start)]
    while heap:
        distance, node = heappop(heap)
        if node in best:
            continue
        best[node] = distance
        for other, length in edges[node]:
            if other not in best:
                heappush(heap, (distance + length, other))
    return best


def main(seed):
    edges = network(seed)
    for start in (0, 5, 10):
        level = hops(edges, start)
        print(len(level), sum(level.values()), sum(distances(edges, start).values()))


main(threadIdx % 64 + 1)
