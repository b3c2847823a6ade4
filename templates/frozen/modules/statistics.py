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
    from math import sumprod

    return sumprod(data, weights) / total


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


def _each_not_negative(values):
    for x in values:
        if x < 0:
            raise StatisticsError("harmonic mean does not support negative values")
        yield x


def _not_negative(values):
    return list(_each_not_negative(values))


def harmonic_mean(data, weights=None):
    data = _list(data, "harmonic_mean")
    if len(data) == 1 and weights is None:
        return _not_negative(data)[0]
    weights = [1] * len(data) if weights is None else list(weights)
    if len(weights) != len(data):
        raise StatisticsError("Number of weights does not match data size")
    total = _sum(_not_negative(weights))
    quotients = []  # they have the type of the result
    for x, w in zip(_each_not_negative(data), weights):
        if w and not x:
            return 0
        quotients.append(w / x if w else 0)
    below = _sum(quotients)
    if below <= 0:
        raise StatisticsError("Weighted sum must be positive")
    return _like(total / below if isinstance(below, float) else _divided(total, 1) / below, quotients)


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
        if not length:
            raise StatisticsError("must have at least one data point")
        return data * (n - 1)
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
    from math import sumprod

    dx, dy, _, _ = _paired(x, y, "covariance")
    return sumprod(dx, dy) / (len(dx) - 1)


def _ranks(values):
    # The rank of each value, around 0; equal values have the mean of their ranks.
    order = sorted(range(len(values)), key=lambda i: values[i])
    ranks = [0.0] * len(values)
    i = 0
    while i < len(order):
        end = i
        while end < len(order) and values[order[end]] == values[order[i]]:
            end += 1
        for each in order[i:end]:
            ranks[each] = (i + end - 1) / 2 - (len(values) - 1) / 2
        i = end
    return ranks


def correlation(x, y, /, *, method="linear"):
    from math import sqrt, sumprod

    x = list(x)
    y = list(y)
    if method not in ("linear", "ranked"):
        raise ValueError(f"Unknown method: {method!r}")
    dx, dy, _, _ = _paired(x, y, "correlation")
    if method == "ranked":
        dx, dy = _ranks(x), _ranks(y)
    sxx = sumprod(dx, dx)
    syy = sumprod(dy, dy)
    if not sxx or not syy:
        raise StatisticsError("at least one of the inputs is constant")
    root = sqrt(sxx * syy)
    # Correct the last bits of the root by one step of Newton's method.
    if root:
        root += sumprod((sxx, root), (syy, -root)) / (2.0 * root)
    return sumprod(dx, dy) / root


def linear_regression(x, y, /, *, proportional=False):
    from collections import namedtuple
    from math import sumprod

    x = list(x)
    y = list(y)
    dx, dy, xbar, ybar = _paired(x, y, "linear regression")
    if proportional:
        dx, dy = x, y
    sxx = sumprod(dx, dx)
    if not sxx:
        raise StatisticsError("x is constant")
    slope = (sumprod(dx, dy) + 0.0) / sxx
    result = namedtuple("LinearRegression", ("slope", "intercept"), module="statistics")
    return result(slope, 0.0 if proportional else ybar - slope * xbar)


def __getattr__(name):
    if name == "NormalDist":
        import _normal

        return _normal.NormalDist
    if name == "__all__":
        return [name for name in globals() if name[0] != "_"] + ["NormalDist"]
    raise AttributeError(f"module 'statistics' has no attribute '{name}'")
