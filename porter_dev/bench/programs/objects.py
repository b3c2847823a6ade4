class Shape:
    def __init__(self, name, side):
        self.name = name
        self.side = side
        self.moves = 0

    def move(self, by):
        self.moves += by
        return self

    def area(self):
        return 0


class Square(Shape):
    def area(self):
        return self.side * self.side


class Slab(Square):
    def __init__(self, name, side, depth):
        super().__init__(name, side)
        self.depth = depth

    @property
    def volume(self):
        return self.area() * self.depth


def main(start):
    shapes = [Shape("point", 0), Square("square", start), Slab("slab", start, 3)]
    total = 0
    for step in range(20):
        for shape in shapes:
            total += shape.move(step).area()
            shape.side += 1
        total += shapes[2].volume
    print(total, [shape.moves for shape in shapes])


main(threadIdx % 8)
