# The C module, and functions of CPython's that it lacks.
import ucmath
import umath


def __getattr__(name):
    if name == "__all__":
        return [name for name in dir(ucmath) if name[0] != "_"] + [
            "acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh", "tan", "tanh",
            "isclose", "isfinite", "isinf", "isnan", "inf", "infj", "nan", "nanj", "tau",
        ]
    if name == "infj":
        return complex(0.0, umath.inf)
    if name == "nanj":
        return complex(0.0, umath.nan)
    if name in ("inf", "nan", "tau"):
        return getattr(umath, name)
    return getattr(ucmath, name)


_FINITE_EXP = 708.0  # the exponential of a larger number may overflow


def _complex(z):
    if isinstance(z, str):
        raise TypeError(f"must be real number, not {type(z).__name__}")
    return complex(z)


def _finite(x):
    return x - x == 0.0


def _times_angle(radius, angle):
    # The complex number with this radius and angle, also for infinite radii.
    if angle == 0.0:
        return complex(radius, angle if radius > 0.0 else radius * angle)
    if not _finite(angle):
        if not _finite(radius) or not radius:
            return complex(radius, umath.nan) if radius == radius and radius else complex(radius, 0.0)
        raise ValueError("math domain error")
    return complex(radius * umath.cos(angle), radius * umath.sin(angle))


def exp(z):
    z = _complex(z)
    x, y = z.real, z.imag
    if not _finite(x) or not _finite(y):
        if x == -umath.inf:
            return _zero(y)
        if not _finite(y) and _finite(x) or x == umath.inf and y - y != 0.0 and y == y:
            if y == y:
                raise ValueError("math domain error")
            return complex(umath.nan, umath.nan)
        if x == umath.inf and y != y:
            return complex(umath.inf, umath.nan)
        if x != x:
            return complex(umath.nan, y if not y else umath.nan)
        return complex(x, y) if not y else complex(x * umath.cos(y), x * umath.sin(y))
    if x > _FINITE_EXP:
        scale = umath.exp(x - 1.0)
        result = complex(scale * umath.cos(y) * umath.e, scale * umath.sin(y) * umath.e)
    else:
        scale = umath.exp(x)
        result = complex(scale * umath.cos(y), scale * umath.sin(y))
    if not _finite(result.real) or not _finite(result.imag):
        raise OverflowError("math range error")
    return result


def _zero(y):
    if not _finite(y):
        return complex(0.0, 0.0)
    return complex(umath.copysign(0.0, umath.cos(y)), umath.copysign(0.0, umath.sin(y)))


def sqrt(z):
    z = _complex(z)
    x, y = z.real, z.imag
    if not _finite(x) or not _finite(y):
        if y - y != 0.0 and y == y:
            return complex(umath.inf, y)
        if x == -umath.inf:
            return complex(umath.nan if y != y else 0.0, umath.copysign(umath.inf, y))
        if x == umath.inf:
            return complex(x, y if y != y else umath.copysign(0.0, y))
        return complex(umath.nan, umath.nan)
    if not x and not y:
        return complex(0.0, y)
    ax, ay = abs(x), abs(y)
    if ax < 2.2250738585072014e-308 and ay < 2.2250738585072014e-308:
        ax = umath.ldexp(ax, 53)
        s = umath.ldexp(umath.sqrt(ax + _hypot(ax, umath.ldexp(ay, 53))), -27)
    else:
        ax /= 8.0
        s = 2.0 * umath.sqrt(ax + _hypot(ax, ay / 8.0))
    d = ay / (2.0 * s)
    if x >= 0.0:
        return complex(s, umath.copysign(d, y))
    return complex(d, umath.copysign(s, y))


def _hypot(x, y):
    import math

    return math.hypot(x, y)


def log(z, base=None):
    result = _log(_complex(z))
    return result if base is None else result / _log(_complex(base))


def log10(z):
    z = _log(_complex(z))
    return complex(z.real / 2.302585092994046, z.imag / 2.302585092994046)


def _log(z):
    x, y = z.real, z.imag
    if not x and not y:
        raise ValueError("math domain error")
    angle = umath.atan2(y, x)
    ax, ay = abs(x), abs(y)
    if not _finite(x) or not _finite(y):
        return complex(umath.inf if umath.isinf(x) or umath.isinf(y) else umath.nan, angle)
    if max(ax, ay) > 8e307:
        return complex(umath.log(_hypot(ax / 2.0, ay / 2.0)) + 0.6931471805599453, angle)
    h = _hypot(ax, ay)
    if 0.71 <= h <= 1.73:
        import math

        # The sum of the squares, less 1, has no rounding error.
        high, low = max(ax, ay), min(ax, ay)
        return complex(math.log1p((high - 1.0) * (high + 1.0) + low * low) / 2.0, angle)
    return complex(umath.log(h), angle)


def phase(z):
    z = _complex(z)
    return umath.atan2(z.imag, z.real)


def polar(z):
    z = _complex(z)
    return _hypot(z.real, z.imag), umath.atan2(z.imag, z.real)


def rect(r, phi):
    return _times_angle(float(r), float(phi))


def sinh(z):
    z = complex(z)
    return complex(umath.sinh(z.real) * umath.cos(z.imag), umath.cosh(z.real) * umath.sin(z.imag))


def cosh(z):
    z = complex(z)
    return complex(umath.cosh(z.real) * umath.cos(z.imag), umath.sinh(z.real) * umath.sin(z.imag))


def tanh(z):
    z = complex(z)
    if abs(z.real) > 20.0:
        # The imaginary part is too small to show in the denominator.
        small = 4.0 * umath.sin(z.imag) * umath.cos(z.imag) * umath.exp(-2.0 * abs(z.real))
        return complex(umath.copysign(1.0, z.real), small)
    tx = umath.tanh(z.real)
    ty = umath.tan(z.imag)
    cx = 1.0 / umath.cosh(z.real)
    txty = tx * ty
    denominator = 1.0 + txty * txty
    return complex(tx * (1.0 + ty * ty) / denominator, ty / denominator * cx * cx)


def tan(z):
    z = complex(z)
    w = tanh(complex(-z.imag, z.real))
    return complex(w.imag, -w.real)


def _sqrt(x, y):
    # The root of x + yj, whose imaginary part has the sign of y, also of a zero.
    return sqrt(complex(x, y))


def asinh(z):
    z = complex(z)
    # Kahan's formula: no cancellation near the cuts.
    a = _sqrt(1.0 - z.imag, z.real)
    b = _sqrt(1.0 + z.imag, -z.real)
    return complex(umath.asinh(b.real * a.imag - b.imag * a.real),
                   umath.atan2(z.imag, a.real * b.real - a.imag * b.imag))


def acosh(z):
    z = complex(z)
    a = _sqrt(z.real - 1.0, z.imag)
    b = _sqrt(z.real + 1.0, z.imag)
    return complex(umath.asinh(a.real * b.real + a.imag * b.imag),
                   2.0 * umath.atan2(a.imag, b.real))


def acos(z):
    z = complex(z)
    a = _sqrt(1.0 - z.real, -z.imag)
    b = _sqrt(1.0 + z.real, z.imag)
    return complex(2.0 * umath.atan2(a.real, b.real), umath.asinh(b.real * a.imag - b.imag * a.real))


def asin(z):
    z = complex(z)
    w = asinh(complex(-z.imag, z.real))
    return complex(w.imag, -w.real)


def atanh(z):
    z = complex(z)
    x, y = z.real, z.imag
    if not y and abs(x) == 1.0:
        raise ValueError("math domain error")
    real = 0.25 * umath.log(((1.0 + x) * (1.0 + x) + y * y) / ((1.0 - x) * (1.0 - x) + y * y))
    return complex(real, 0.5 * umath.atan2(2.0 * y, (1.0 - x) * (1.0 + x) - y * y))


def atan(z):
    z = complex(z)
    w = atanh(complex(-z.imag, z.real))
    return complex(w.imag, -w.real)


def isfinite(z):
    z = complex(z)
    return umath.isfinite(z.real) and umath.isfinite(z.imag)


def isinf(z):
    z = complex(z)
    return umath.isinf(z.real) or umath.isinf(z.imag)


def isnan(z):
    z = complex(z)
    return umath.isnan(z.real) or umath.isnan(z.imag)


def isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    if rel_tol < 0.0 or abs_tol < 0.0:
        raise ValueError("tolerances must be non-negative")
    a = complex(a)
    b = complex(b)
    if a == b:
        return True
    if isinf(a) or isinf(b):
        return False
    return abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol)
