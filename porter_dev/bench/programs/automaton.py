SIZE = 5
NEAR = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


def soup(seed):
    x = seed
    alive = set()
    for cell in range(SIZE * SIZE):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        if (x >> 16) % 3 == 0:
            alive.add((cell // SIZE, cell % SIZE))
    return alive


def step(alive):
    count = {}
    for row, column in alive:
        for down, right in NEAR:
            cell = ((row + down) % SIZE, (column + right) % SIZE)
            count[cell] = count.get(cell, 0) + 1
    return {cell for cell in count if count[cell] == 3 or count[cell] == 2 and cell in alive}


def main(seed):
    alive = soup(seed)
    sizes = [len(alive)]
    for _ in range(5):
        alive = step(alive)
        sizes.append(len(alive))
    print(sizes, sum([row * 7 + column for row, column in alive]))


main(threadIdx % 64 + 1)
