# Sums are exact: of fractions, as in CPython, so that results are rounded once.


class StatisticsError(ValueError):
    pass


def _exact(x):
    from fractions import Fraction

    return x if isinstance(x, (int, Fraction)) else Fraction(x)


def _sum(values):
    # The exact sum of finite numbers, or the sum of floats where one is not finite.
    total = 0
    for x in values:
        if isinstance(x, float) and x - x != 0.0:
            return sum(values)
        total += _exact(x)
    return total


def _like(total, values):
    # `total` with the type that the values have: an integer where it is one.
    for x in values:
        if isinstance(x, float):
            return float(total)
    for x in values:
        if not isinstance(x, (int, bool)):
            return total if isinstance(x, type(total)) else type(x)(total)
    if isinstance(total, float):
        return total
    return int(total) if total == int(total) else float(total)


def _divided(total, n):
    if isinstance(total, float):
        return total / n
    from fractions import Fraction

    return Fraction(total, n) if isinstance(total, int) else total / n


def _list(data, function, least=1):
    data = list(data)
    if len(data) < least:
        points = {"mean": "mean requires at least one data point",
                  "fmean": "fmean requires at least one data point",
                  "harmonic_mean": "harmonic_mean requires at least one data point"}
        raise StatisticsError(points.get(
            function, f"{function} requires at least {'one' if least == 1 else 'two'} data point"
            + ("s" if least > 1 else "")))
    return data


def mean(data):
    data = _list(data, "mean")
    return _like(_divided(_sum(data), len(data)), data)


def fmean(data, weights=None):
    from math import fsum

    data = _list(data, "fmean")
    if weights is None:
        return fsum(data) / len(data)
    weights = list(weights)
    if len(weights) != len(data):
        raise StatisticsError("data and weights must be the same length")
    total = fsum(weights)
    if not total:
        raise StatisticsError("sum of weights must be non-zero")
    return fsum([x * w for x, w in zip(data, weights)]) / total


def geometric_mean(data):
    from math import exp, fsum, log

    data = list(data)
    if not data:
        raise StatisticsError("geometric mean requires a non-empty dataset containing positive numbers")
    for x in data:
        if x <= 0:
            raise StatisticsError(
                "geometric mean requires a non-empty dataset containing positive numbers")
    return exp(fsum([log(x) for x in data]) / len(data))


def harmonic_mean(data, weights=None):
    data = _list(data, "harmonic_mean")
    weights = [1] * len(data) if weights is None else list(weights)
    if len(weights) != len(data):
        raise StatisticsError("Number of weights does not match data size")
    total = 0
    for x, w in zip(data, weights):
        if x < 0:
            raise StatisticsError("harmonic mean does not support negative values")
        if x == 0:
            return 0
        total += _exact(w) / _exact(x) if not isinstance(x, int) else _divided(_exact(w), x)
    return _like(_sum(weights) / total, data)


def _sorted(data):
    data = sorted(data)
    if not data:
        raise StatisticsError("no median for empty data")
    return data


def median(data):
    data = _sorted(data)
    n = len(data)
    return data[n // 2] if n % 2 else (data[n // 2 - 1] + data[n // 2]) / 2


def median_low(data):
    data = _sorted(data)
    return data[(len(data) - 1) // 2]


def median_high(data):
    data = _sorted(data)
    return data[len(data) // 2]


def median_grouped(data, interval=1.0):
    data = _sorted(data)
    n = len(data)
    x = data[n // 2]
    below = sum([1 for value in data if value < x])
    equal = sum([1 for value in data if value == x])
    return float(x) - interval / 2.0 + interval * (n / 2 - below) / equal


def _counted(data):
    # Values in the order of their first appearance, and how often each appears.
    order = []
    counts = {}
    for x in data:
        if x in counts:
            counts[x] += 1
        else:
            counts[x] = 1
            order.append(x)
    return order, counts


def mode(data):
    order, counts = _counted(data)
    if not order:
        raise StatisticsError("no mode for empty data")
    return max(order, key=lambda x: counts[x])


def multimode(data):
    order, counts = _counted(data)
    most = max(counts.values()) if order else 0
    return [x for x in order if counts[x] == most]


def _squares(data, center):
    data = [_exact(x) for x in data]
    if center is not None:
        center = _exact(center)
        return _sum([(x - center) * (x - center) for x in data])
    total = _sum(data)
    squares = _sum([x * x for x in data])
    n = len(data)
    return _divided(squares * n - total * total, n)


def _variance(data, function, least, n, center):
    data = _list(data, function, least)
    return data, _divided(_squares(data, center), len(data) - n)


def variance(data, xbar=None):
    data, found = _variance(data, "variance", 2, 1, xbar)
    return _like(found, data)


def pvariance(data, mu=None):
    data, found = _variance(data, "pvariance", 1, 0, mu)
    return _like(found, data)


def _root(x):
    # The square root of a fraction, correctly rounded.
    from math import isqrt, ldexp

    n, d = (x, 1) if isinstance(x, int) else (x.numerator, x.denominator)
    if not n:
        return 0.0
    shift = 0
    while n >> shift >= d << 110:
        shift += 2
    if shift:
        d <<= shift
    else:
        while n < d << 108:
            n <<= 2
            shift -= 2
    root = isqrt(n // d)
    # A sticky bit stands for what the root leaves out.
    if root * root * d != n:
        root |= 1
    return ldexp(float(root), shift // 2)


def stdev(data, xbar=None):
    return _root(_variance(data, "stdev", 2, 1, xbar)[1])


def pstdev(data, mu=None):
    return _root(_variance(data, "pstdev", 1, 0, mu)[1])


def quantiles(data, *, n=4, method="exclusive"):
    if n < 1:
        raise StatisticsError("n must be at least 1")
    data = sorted(data)
    length = len(data)
    if length < 2:
        raise StatisticsError("must have at least two data points")
    result = []
    if method == "inclusive":
        m = length - 1
        for i in range(1, n):
            j, delta = divmod(i * m, n)
            result.append((data[j] * (n - delta) + data[j + 1] * delta) / n)
        return result
    if method != "exclusive":
        raise ValueError(f"Unknown method: {method!r}")
    m = length + 1
    for i in range(1, n):
        j = min(max(i * m // n, 1), length - 1)
        delta = i * m - j * n
        result.append((data[j - 1] * (n - delta) + data[j] * delta) / n)
    return result


def _paired(x, y, function):
    x = list(x)
    y = list(y)
    if len(x) != len(y):
        raise StatisticsError(f"{function} requires that both inputs have same number of data points")
    if len(x) < 2:
        raise StatisticsError(f"{function} requires at least two data points")
    from math import fsum

    xbar = fsum(x) / len(x)
    ybar = fsum(y) / len(y)
    return ([a - xbar for a in x], [b - ybar for b in y], xbar, ybar)


def covariance(x, y):
    from math import fsum

    dx, dy, _, _ = _paired(x, y, "covariance")
    return fsum([a * b for a, b in zip(dx, dy)]) / (len(dx) - 1)


def correlation(x, y):
    from math import fsum, sqrt

    dx, dy, _, _ = _paired(x, y, "correlation")
    sxy = fsum([a * b for a, b in zip(dx, dy)])
    sxx = fsum([a * a for a in dx])
    syy = fsum([b * b for b in dy])
    if not sxx or not syy:
        raise StatisticsError("at least one of the inputs is constant")
    return sxy / sqrt(sxx * syy)


def linear_regression(x, y, *, proportional=False):
    from math import fsum
    from collections import namedtuple

    dx, dy, xbar, ybar = _paired(x, y, "linear regression")
    if proportional:
        dx, dy = list(x), list(y)
    sxx = fsum([a * a for a in dx])
    if not sxx:
        raise StatisticsError("x is constant")
    slope = fsum([a * b for a, b in zip(dx, dy)]) / sxx
    result = namedtuple("LinearRegression", ("slope", "intercept"))
    return result(slope, 0.0 if proportional else ybar - slope * xbar)


def __getattr__(name):
    if name == "NormalDist":
        import _normal

        return _normal.NormalDist
    if name == "__all__":
        return [name for name in globals() if name[0] != "_"] + ["NormalDist"]
    raise AttributeError(f"module 'statistics' has no attribute '{name}'")
