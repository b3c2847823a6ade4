# Logarithms, exponentials and other powers of decimal numbers, on integers scaled by powers of ten.
import decimal
from decimal import Decimal


def _exp(n, scale):
    # exp(n / scale) * scale for an integer n; the argument is halved until its series is short.
    halvings = 0
    while abs(n) > scale >> 4:
        n >>= 1
        halvings += 1
    extra = 1 << (2 * halvings + 16)
    n = n * extra
    scale *= extra
    total = term = scale
    i = 1
    while term:
        term = term * n // (scale * i)
        if term == -1:
            break
        total += term
        i += 1
    for _ in range(halvings):
        total = total * total // scale
    return total // extra


def _ln(n, scale):
    # ln(n / scale) * scale, by Newton's method on exp; each step triples the number of digits.
    import umath as math

    shift = len(str(n)) - len(str(scale))
    top = n // 10 ** max(len(str(n)) - 17, 0)
    y = (math.log(float(top)) + (max(len(str(n)) - 17, 0) - len(str(scale)) + 1) * math.log(10.0))
    y = int(y * 1e15) * scale // 10 ** 15
    while True:
        e = _exp(y, scale)
        step = 2 * (n - e) * scale // (n + e)
        y += step
        if abs(step) <= max(scale >> 40, 2) and abs(step) < 10 ** (len(str(scale)) // 3 + 1):
            return y


def _rounded(n, digits):
    # n * 10 ** -digits, rounded half even to the context's precision; n is inexact.
    context = decimal.getcontext().copy()
    context.rounding = decimal.ROUND_HALF_EVEN
    sign = int(n < 0)
    n = abs(n)
    return decimal._fit(sign, n if n % 5 else n + 1, -digits, context)


def exp(x):
    if x._kind:
        nan = x._nan(None)
        return nan if nan is not None else (Decimal(0) if x._sign else x)
    if not x:
        return Decimal(1)
    # exp(x) has about x / ln(10) digits before the point.
    before = int(abs(float(x)) / 2.302585) + 1
    context = decimal.getcontext()
    if before > context.Emax + 10 and not x._sign:
        return context._raise(decimal.Overflow, decimal._make(0, 0, 0, "inf"))
    digits = context.prec + 10 + before * (2 if x._sign else 1)
    scale = 10 ** digits
    n = x._int * 10 ** (x._exp + digits) if x._exp + digits >= 0 else (
        x._int // 10 ** -(x._exp + digits))
    return _rounded(_exp(-n if x._sign else n, scale), digits)


def _scaled_ln(x, digits):
    # ln(x) * 10 ** digits, with a few digits more inside.
    digits += 8
    scale = 10 ** digits
    adjusted = x.adjusted()
    # x = m * 10 ** adjusted with 1 <= m < 10
    size = len(str(x._int))
    n = x._int * 10 ** (digits - size + 1) if digits >= size - 1 else (
        x._int // 10 ** (size - 1 - digits))
    total = _ln(n, scale)
    if adjusted:
        total += adjusted * _ln(10 * scale, scale)
    return total // 10 ** 8


def _log_of_special(context, x):
    # The logarithm of x if it is zero, negative, infinite or a NaN.
    nan = x._nan(None)
    if nan is not None:
        return nan
    if not x:
        return decimal._make(1, 0, 0, "inf")
    if x._sign:
        return context._raise(decimal.InvalidOperation, decimal._make(0, 0, 0, "nan"))
    return x if x._kind else None


def ln(x):
    context = decimal.getcontext()
    found = _log_of_special(context, x)
    if found is not None:
        return found
    if x == 1:
        return Decimal(0)
    digits = context.prec + 12 + max(-(x - 1).adjusted(), 0)
    return _rounded(_scaled_ln(x, digits), digits)


def log10(x):
    context = decimal.getcontext()
    found = _log_of_special(context, x)
    if found is not None:
        return found
    digits = str(x._int)
    if digits[0] == "1" and not digits[1:].strip("0"):
        return Decimal(x.adjusted())
    places = context.prec + 12 + max(-(x - 1).adjusted(), 0)
    scale = 10 ** (places + 8)
    return _rounded(_scaled_ln(x, places + 8) * 10 ** places // _ln(10 * scale, scale), places)


def power(x, y, whole):
    context = decimal.getcontext()
    odd = whole and int(y) & 1
    sign = x._sign & odd
    if x._kind or not x:
        # Zero and infinity become each other where the exponent is negative.
        infinite = (x._kind == "inf") != bool(y._sign)
        return decimal._make(sign, 0, 0, "inf") if infinite else decimal._make(sign, 0, 0)
    if x._sign and not whole:
        return context._raise(decimal.InvalidOperation, decimal._make(0, 0, 0, "nan"))
    if y._kind:
        c = x.copy_abs()._compare(Decimal(1))
        if not c:
            return Decimal(1)
        return decimal._make(0, 0, 0, "inf") if (c > 0) != bool(y._sign) else Decimal(0)
    if x.copy_abs() == 1:
        return decimal._fit(sign, 10 ** (context.prec - 1), 1 - context.prec)
    if y == Decimal("0.5") and not sign:
        root = x.sqrt()
        if root * root == x:
            return root
    size = max(y.adjusted(), 0) + max(abs(x.adjusted()), 1)
    digits = context.prec + 20 + len(str(size)) * 3 + max(y.adjusted(), 0)
    log = _scaled_ln(x.copy_abs(), digits)
    n = log * y._int
    n = n * 10 ** y._exp if y._exp >= 0 else n // 10 ** -y._exp
    exponent = decimal._make(y._sign ^ int(n < 0), abs(n), -digits)
    found = exp(exponent)
    return decimal._make(sign, found._int, found._exp, found._kind)
