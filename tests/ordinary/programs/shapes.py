import math


def record(*names, **defaults):
    class Record:
        fields = names + tuple(sorted(defaults))

        def __init__(self, *values, **given):
            for name, value in zip(self.fields, values):
                setattr(self, name, value)
            for name in self.fields[len(values) :]:
                setattr(self, name, given.get(name, defaults.get(name)))

        def astuple(self):
            return tuple(getattr(self, name) for name in self.fields)

        def __eq__(self, other):
            return type(self) is type(other) and self.astuple() == other.astuple()

        def __repr__(self):
            parts = ["%s=%r" % pair for pair in zip(self.fields, self.astuple())]
            return "%s(%s)" % (type(self).__name__, ", ".join(parts))

    return Record


class Vector(record("x", "y")):
    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    def __abs__(self):
        return math.sqrt(self.x**2 + self.y**2)


class Circle(record("centre", radius=1)):
    def area(self):
        return math.pi * self.radius**2


class Polygon(record("points")):
    def area(self):
        pairs = zip(self.points, self.points[1:] + self.points[:1])
        return abs(sum(a.x * b.y - b.x * a.y for a, b in pairs)) / 2


a, b = Vector(3, 4), Vector(1, 1)
print(a + b, a * 2, abs(a), a == Vector(3, 4), a == b)
print(Circle(a), "%.4f" % Circle(b, radius=2).area())
ring = [Vector(math.cos(i * math.pi / 10), math.sin(i * math.pi / 10)) for i in range(20)]
print("%.6f" % Polygon(ring).area(), Polygon([a, b, Vector(5, 0)]).area())
shapes = [Circle(a), Polygon([a, b, a + b]), Circle(b, radius=3)]
print(["%s %.2f" % (type(s).__name__, s.area()) for s in sorted(shapes, key=lambda s: s.area())])
