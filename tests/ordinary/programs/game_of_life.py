class Life:
    def __init__(self, cells):
        self.cells = set(cells)

    @classmethod
    def parse(cls, text, dx=0, dy=0):
        return cls(
            (x + dx, y + dy)
            for y, row in enumerate(text.strip().split("\n"))
            for x, c in enumerate(row)
            if c == "o"
        )

    def neighbours(self):
        counts = {}
        for x, y in self.cells:
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    if dx or dy:
                        at = (x + dx, y + dy)
                        counts[at] = counts.get(at, 0) + 1
        return counts

    def step(self):
        counts = self.neighbours()
        return Life(at for at, n in counts.items() if n == 3 or (n == 2 and at in self.cells))

    def show(self, width, height):
        for y in range(height):
            print("".join("o" if (x, y) in self.cells else "." for x in range(width)))


glider = Life.parse(".o.\n..o\nooo")
world = glider
for generation in range(12):
    world = world.step()
world.show(8, 8)
print(sorted(world.cells) == sorted((x + 3, y + 3) for x, y in glider.cells))
pentomino = Life.parse(".oo\noo.\n.o.", 20, 20)
populations = []
for generation in range(30):
    populations.append(len(pentomino.cells))
    pentomino = pentomino.step()
print(populations)
print(min(pentomino.cells), max(pentomino.cells))
