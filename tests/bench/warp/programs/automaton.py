def step(alive):
    near = {}
    for x, y in alive:
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                if dx or dy:
                    cell = (x + dx, y + dy)
                    near[cell] = near.get(cell, 0) + 1
    return {cell for cell in near if near[cell] == 3 or (near[cell] == 2 and cell in alive)}


def main(seed):
    x = seed * 7919 + 1
    alive = set()
    for _ in range(8):
        x = (x * 1103 + 12345) % 65537
        alive.add((x % 4, x // 7 % 4))
    for _ in range(4):
        alive = step(alive)
    print(len(alive), sorted(alive)[:2])


main(threadIdx)
