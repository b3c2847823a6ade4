def counter(start=0):
    n = start

    def step(by=1):
        nonlocal n
        n += by
        return n

    return step


def memoize(function):
    seen = {}

    def wrapper(*args):
        if args not in seen:
            seen[args] = function(*args)
        return seen[args]

    return wrapper


def compose(*functions):
    def composed(x):
        for function in functions:
            x = function(x)
        return x

    return composed


def curry(function, n):
    def take(*args):
        return function(*args) if len(args) >= n else lambda x: take(*args, x)

    return take


@memoize
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def trace(label):
    def decorate(function):
        def wrapper(*args, **kwargs):
            result = function(*args, **kwargs)
            print(label, args, sorted(kwargs.items()), "->", result)
            return result

        return wrapper

    return decorate


@trace("area")
def area(width, height=1, *, scale=1):
    return width * height * scale


a, b = counter(), counter(10)
print(a(), a(), b(5), a(), b())
print(fibonacci(45), fibonacci(80))
print(compose(lambda x: x + 1, lambda x: x * 2, str)(20))
print(curry(lambda x, y, z: x * y + z, 3)(2)(3)(4))
area(3)
area(3, 4, scale=2)
adders = [lambda x, n=n: x + n for n in range(4)]
print([add(10) for add in adders], list(map(lambda f: f(1), adders)))
