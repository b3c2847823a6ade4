# The program of every interpreter: vectors, spheres, light, and the colour of one pixel.
# It is plain Python: CPython runs it too.
from math import sqrt


class Vector:
    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, other):
        """Multiply by a number, or componentwise by a colour."""
        if isinstance(other, Vector):
            return Vector(self.x * other.x, self.y * other.y, self.z * other.z)
        return Vector(self.x * other, self.y * other, self.z * other)

    def dot(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z

    def unit(self):
        return self * (1 / sqrt(self.dot(self)))

    def mirrored(self, normal):
        return self - normal * (2 * self.dot(normal))


class Sphere:
    def __init__(self, centre, radius, colour, shine):
        self.centre, self.radius, self.colour, self.shine = centre, radius, colour, shine

    def distance(self, start, way):
        """Return the distance along `way` at which a ray meets the sphere, or None."""
        to = start - self.centre
        b = to.dot(way)
        root = b * b - to.dot(to) + self.radius * self.radius
        if root < 0:
            return None
        far = -b - sqrt(root)
        return far if far > NEAREST else None

    def normal(self, point):
        return (point - self.centre) * (1 / self.radius)

    def colour_at(self, point):
        return self.colour


class Floor:
    """A chess board at y = 0."""

    shine = 0.18

    def distance(self, start, way):
        far = -start.y / way.y if way.y < 0 else 0
        return far if far > NEAREST else None

    def normal(self, point):
        return UP

    def colour_at(self, point):
        dark = (int(point.x + 1000) + int(point.z + 1000)) % 2
        return Vector(0.18, 0.2, 0.26) if dark else Vector(0.92, 0.9, 0.84)


NEAREST = 1e-6
BLACK = Vector(0.0, 0.0, 0.0)
UP = Vector(0.0, 1.0, 0.0)
EYE = Vector(0.0, 1.5, -4.6)
LIGHT = Vector(-0.55, 0.75, -0.45).unit()
THINGS = [
    Floor(),
    Sphere(Vector(0.0, 1.0, 0.6), 1.0, Vector(0.95, 0.95, 0.95), 0.75),
    Sphere(Vector(-1.75, 0.6, -0.3), 0.6, Vector(0.85, 0.16, 0.12), 0.2),
    Sphere(Vector(1.6, 0.7, -0.2), 0.7, Vector(0.1, 0.42, 0.85), 0.3),
    Sphere(Vector(0.45, 0.32, -1.35), 0.32, Vector(0.95, 0.7, 0.1), 0.35),
    Sphere(Vector(-0.6, 0.25, -1.5), 0.25, Vector(0.15, 0.65, 0.3), 0.2),
]


def sky(way):
    high = max(0.0, way.y)
    return Vector(0.80, 0.87, 0.95) * (1 - high) + Vector(0.25, 0.47, 0.80) * high


def nearest(start, way):
    """Return the first object that a ray meets, and its distance."""
    found, least = None, 1e9
    for thing in THINGS:
        far = thing.distance(start, way)
        if far is not None and far < least:
            found, least = thing, far
    return found, least


def trace(start, way, depth):
    """Return the colour that a viewer at `start` sees along `way`."""
    thing, far = nearest(start, way)
    if thing is None:
        return sky(way)
    point = start + way * far
    normal = thing.normal(point)
    light = 0.16 + 0.10 * normal.y
    glint = 0.0
    facing = normal.dot(LIGHT)
    if facing > 0 and nearest(point, LIGHT)[0] is None:
        light += 0.85 * facing
        glint = max(0.0, way.mirrored(normal).dot(LIGHT)) ** 60 * thing.shine
    colour = thing.colour_at(point) * light
    if depth and thing.shine:
        mirror = trace(point, way.mirrored(normal), depth - 1)
        colour = colour * (1 - thing.shine) + mirror * thing.shine
    colour = colour + Vector(glint, glint, glint)
    haze = min(1.0, far / 45)
    return colour * (1 - haze) + sky(way) * haze


def pixel(index, width, height, samples):
    """Return red, green and blue (0 to 255) of a pixel: the mean of samples x samples rays."""
    total = BLACK
    for k in range(samples * samples):
        across = (k % samples + 0.5) / samples + index % width
        down = (k // samples + 0.5) / samples + index // width
        way = Vector((across - width / 2) / height, 0.42 - down / height, 1.0)
        total = total + trace(EYE, way.unit(), 3)
    mean = total * (1 / (samples * samples))
    return [int(255 * min(1.0, part) ** 0.8 + 0.5) for part in (mean.x, mean.y, mean.z)]
