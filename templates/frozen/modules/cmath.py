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
    t = umath.tan(z.imag)
    s = umath.sinh(z.real)
    c = umath.cosh(z.real)
    d = 1.0 + s * s * (1.0 + t * t)
    return complex(s * c * (1.0 + t * t) / d, t / d)


def tan(z):
    z = complex(z)
    w = tanh(complex(-z.imag, z.real))
    return complex(w.imag, -w.real)


def _sqrt(x, y):
    # The root of x + yj, whose imaginary part has the sign of y, also of a zero.
    root = ucmath.sqrt(complex(x, y))
    return complex(root.real, umath.copysign(root.imag, y))


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
