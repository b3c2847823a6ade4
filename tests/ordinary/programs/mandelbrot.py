WIDTH, HEIGHT, LIMIT = 39, 15, 40
SHADES = " .:-=+*#%@"


def escape(c):
    z = 0
    for n in range(LIMIT):
        if abs(z) > 2:
            return n
        z = z * z + c
    return LIMIT


def row(y):
    out = []
    for x in range(WIDTH):
        n = escape(complex(-2.2 + 3.2 * x / (WIDTH - 1), -1.2 + 2.4 * y / (HEIGHT - 1)))
        out.append(SHADES[n * (len(SHADES) - 1) // LIMIT])
    return "".join(out)


def newton(f, derivative, x):
    for _ in range(30):
        x = x - f(x) / derivative(x)
    return x


def simpson(f, a, b, n=50):
    h = (b - a) / n
    total = f(a) + f(b)
    for i in range(1, n):
        total += f(a + i * h) * (4 if i % 2 else 2)
    return total * h / 3


for y in range(HEIGHT):
    print(row(y))
print("%.9f" % newton(lambda x: x * x - 2, lambda x: 2 * x, 1.0))
print("%.6f" % simpson(lambda x: x * x * (1 - x), 0.0, 1.0))
root = newton(lambda z: z**3 - 1, lambda z: 3 * z * z, -0.5 + 0.5j)
print("%.6f %.6f" % (root.real, root.imag))
