# Decimal numbers with the precision and the rounding of a context. A finite number is an integer
# coefficient, a sign and an exponent; _kind is "" for it, or "inf", "nan" or "snan".
ROUND_UP = "ROUND_UP"
ROUND_DOWN = "ROUND_DOWN"
ROUND_CEILING = "ROUND_CEILING"
ROUND_FLOOR = "ROUND_FLOOR"
ROUND_HALF_UP = "ROUND_HALF_UP"
ROUND_HALF_DOWN = "ROUND_HALF_DOWN"
ROUND_HALF_EVEN = "ROUND_HALF_EVEN"
ROUND_05UP = "ROUND_05UP"
MAX_PREC = 999999999999999999
MAX_EMAX = 999999999999999999
MIN_EMIN = -999999999999999999


class DecimalException(ArithmeticError):
    pass


class InvalidOperation(DecimalException):
    pass


# A class has one base in C, so this is no DecimalException.
class DivisionByZero(ZeroDivisionError):
    pass


class DivisionUndefined(InvalidOperation):
    pass


class ConversionSyntax(InvalidOperation):
    pass


class Inexact(DecimalException):
    pass


class Rounded(DecimalException):
    pass


class Subnormal(DecimalException):
    pass


class Overflow(Inexact):
    pass


class Underflow(Inexact):
    pass


class Clamped(DecimalException):
    pass


class FloatOperation(DecimalException):
    pass


class Context:
    def __init__(self, prec=28, rounding=ROUND_HALF_EVEN, Emin=-999999, Emax=999999, capitals=1,
                 clamp=0, flags=None, traps=None):
        self.prec = prec
        self.rounding = rounding
        self.Emin = Emin
        self.Emax = Emax
        self.capitals = capitals
        self.clamp = clamp
        self.flags = {}
        if traps is None:
            traps = {InvalidOperation: True, DivisionByZero: True, Overflow: True}
        elif not isinstance(traps, dict):
            traps = dict([(each, True) for each in traps])
        self.traps = traps

    def copy(self):
        return Context(self.prec, self.rounding, self.Emin, self.Emax, self.capitals, self.clamp,
                       None, dict(self.traps))

    __copy__ = copy

    def clear_flags(self):
        self.flags = {}

    def clear_traps(self):
        self.traps = {}

    def create_decimal(self, num="0"):
        return self._within(lambda: +Decimal(num))

    def _within(self, call):
        global _context
        saved = _context
        _context = self
        try:
            return call()
        finally:
            _context = saved

    def _raise(self, exception, result, message=None):
        self.flags[exception] = True
        if self.traps.get(exception):
            raise exception(message or [exception])
        return result

    def __getattr__(self, name):
        # Operations of the context are the operators and methods of Decimal.
        operators = {"add": "__add__", "subtract": "__sub__", "multiply": "__mul__",
                     "divide": "__truediv__", "divide_int": "__floordiv__",
                     "remainder": "__mod__", "power": "__pow__", "minus": "__neg__",
                     "plus": "__pos__", "abs": "__abs__"}
        method = operators.get(name, name)
        if not hasattr(Decimal, method):
            raise AttributeError(f"'decimal.Context' object has no attribute '{name}'")
        return lambda a, *args: self._within(lambda: getattr(Decimal(a), method)(*args))

    def __repr__(self):
        return (f"Context(prec={self.prec}, rounding={self.rounding}, Emin={self.Emin}, "
                f"Emax={self.Emax}, capitals={self.capitals}, clamp={self.clamp}, flags=[], "
                f"traps=[{', '.join([each.__name__ for each in self.traps if self.traps[each]])}])")


_context = DefaultContext = Context()
BasicContext = Context(9, ROUND_HALF_UP)
ExtendedContext = Context(9, traps={})


def getcontext():
    return _context


def setcontext(context):
    global _context
    _context = context


class localcontext:
    def __init__(self, ctx=None, **kwargs):
        self._new = (ctx or _context).copy()
        for name, value in kwargs.items():
            setattr(self._new, name, value)

    def __enter__(self):
        self._saved = getcontext()
        setcontext(self._new)
        return self._new

    def __exit__(self, *exc_info):
        setcontext(self._saved)


def _round_up(q, r, d, negative, rounding):
    # Whether the quotient q with the remainder r of a division by d is to be one larger.
    if not r:
        return False
    if rounding == ROUND_HALF_EVEN:
        return 2 * r > d or 2 * r == d and q & 1
    if rounding == ROUND_HALF_UP:
        return 2 * r >= d
    if rounding == ROUND_DOWN:
        return False
    if rounding == ROUND_UP:
        return True
    if rounding == ROUND_HALF_DOWN:
        return 2 * r > d
    if rounding == ROUND_CEILING:
        return not negative
    if rounding == ROUND_FLOOR:
        return negative
    if rounding == ROUND_05UP:
        return q % 5 == 0
    raise TypeError("valid values for rounding are: [ROUND_CEILING, ROUND_FLOOR, ROUND_UP, "
                    "ROUND_DOWN, ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_05UP]")


def _make(sign, coefficient, exponent, kind=""):
    new = object.__new__(Decimal)
    new._sign = sign
    new._int = coefficient
    new._exp = exponent
    new._kind = kind
    return new


def _size(n):
    return len(str(n))


# The number rounded to the context's precision.
def _fit(sign, coefficient, exponent, context=None):
    context = context or _context
    excess = _size(coefficient) - context.prec
    if excess > 0:
        scale = 10 ** excess
        q, r = divmod(coefficient, scale)
        coefficient = q + bool(_round_up(q, r, scale, sign, context.rounding))
        exponent += excess
        if _size(coefficient) > context.prec:
            coefficient //= 10
            exponent += 1
        context.flags[Rounded] = True
        if r:
            context.flags[Inexact] = True
    if coefficient and exponent + _size(coefficient) - 1 > context.Emax:
        return context._raise(Overflow, _make(sign, 0, 0, "inf"), [Overflow, Inexact, Rounded])
    least = context.Emin - context.prec + 1
    if exponent < least:
        scale = 10 ** (least - exponent)
        q, r = divmod(coefficient, scale)
        coefficient = q + bool(_round_up(q, r, scale, sign, context.rounding))
        exponent = least
    return _make(sign, coefficient, exponent)


def _parse(text):
    s = text.strip().replace("_", "").lower()
    sign = 0
    if s[:1] in ("-", "+"):
        sign = int(s[0] == "-")
        s = s[1:]
    if s in ("inf", "infinity"):
        return sign, 0, 0, "inf"
    for kind in ("snan", "nan"):
        if s.startswith(kind) and (len(s) == len(kind) or s[len(kind):].isdigit()):
            return sign, int(s[len(kind):] or "0"), 0, kind
    body, mark, exponent = s.partition("e")
    whole, _, part = body.partition(".")
    digits = whole + part
    plain = exponent[1:] if exponent[:1] in ("-", "+") else exponent
    if not digits.isdigit() or mark and not plain.isdigit() or "e" in part:
        return None
    return sign, int(digits), (int(exponent) if mark else 0) - len(part), ""


class Decimal:
    _numbers = ("Number",)

    def __init__(self, value="0", context=None):
        if isinstance(value, Decimal):
            found = value._sign, value._int, value._exp, value._kind
        elif isinstance(value, (int, bool)):
            value = int(value)
            found = int(value < 0), abs(value), 0, ""
        elif isinstance(value, str):
            found = _parse(value)
            if found is None:
                _context._raise(InvalidOperation, None, [ConversionSyntax])
                found = 0, 0, 0, "nan"
        elif isinstance(value, float):
            found = _from_float(value)
        elif isinstance(value, (tuple, list)):
            sign, digits, exponent = value
            n = 0
            for digit in digits:
                n = n * 10 + digit
            kind = {"F": "inf", "n": "nan", "N": "snan"}.get(exponent, "")
            found = sign, n, 0 if kind else exponent, kind
        else:
            raise TypeError(f"conversion from {type(value).__name__} to Decimal is not supported")
        self._sign, self._int, self._exp, self._kind = found

    @classmethod
    def from_float(cls, f):
        return cls(f)

    def as_tuple(self):
        from collections import namedtuple

        digits = () if "nan" in self._kind and not self._int else tuple(
            [int(c) for c in str(self._int)])
        exponent = {"inf": "F", "nan": "n", "snan": "N"}.get(self._kind, self._exp)
        return namedtuple("DecimalTuple", ("sign", "digits", "exponent"), module="decimal")(
            self._sign, digits, exponent)

    def as_integer_ratio(self):
        if self._kind:
            if self._kind == "inf":
                raise OverflowError("cannot convert Infinity to integer ratio")
            raise ValueError("cannot convert NaN to integer ratio")
        from fractions import Fraction

        n = -self._int if self._sign else self._int
        f = Fraction(n * 10 ** max(self._exp, 0), 10 ** max(-self._exp, 0))
        return f.numerator, f.denominator

    def __str__(self):
        sign = "-" if self._sign else ""
        if self._kind:
            if self._kind == "inf":
                return sign + "Infinity"
            return sign + ("NaN" if self._kind == "nan" else "sNaN") + (str(self._int or ""))
        digits = str(self._int)
        exponent = self._exp
        left = exponent + len(digits)
        if exponent <= 0 and left > -6:
            point = left
        else:
            point = 1
        if point <= 0:
            text = "0." + "0" * -point + digits
        elif point >= len(digits):
            text = digits + "0" * (point - len(digits))
        else:
            text = digits[:point] + "." + digits[point:]
        if left != point:
            text += ("E" if _context.capitals else "e") + "%+d" % (left - point)
        return sign + text

    def __repr__(self):
        return f"Decimal('{self}')"

    def to_eng_string(self, context=None):
        text = str(self)
        head, mark, exponent = text.partition("E" if _context.capitals else "e")
        if self._kind or not mark:
            return text
        # The exponent becomes a multiple of 3, and the digits before the point one to three.
        exponent = int(exponent)
        sign = "-" if self._sign else ""
        digits = str(self._int)
        if not self._int:
            above = -exponent % 3
            exponent += above
            head = "0." + "0" * (3 - (3 - above)) if above else "0"
            head = sign + head
        else:
            before = 1 + exponent % 3
            exponent -= exponent % 3
            digits += "0" * (before - len(digits))
            head = sign + digits[:before] + ("." + digits[before:] if len(digits) > before else "")
        return head + (mark + "%+d" % exponent if exponent else "")

    def __format__(self, spec):
        import _decimalformat

        return _decimalformat.write(self, spec)

    def __bool__(self):
        return self._kind != "" or self._int != 0

    def __int__(self):
        if self._kind:
            if self._kind == "inf":
                raise OverflowError("cannot convert Infinity to integer")
            raise ValueError("cannot convert NaN to integer")
        n = self._int * 10 ** self._exp if self._exp >= 0 else self._int // 10 ** -self._exp
        return -n if self._sign else n

    __trunc__ = __int__

    def __float__(self):
        if self._kind == "snan":
            raise ValueError("cannot convert signaling NaN to float")
        return float(str(self).lower().replace("infinity", "inf") if not self._kind else
                     ("-" if self._sign else "") + self._kind)

    def __hash__(self):
        if self._kind:
            return hash(float(self))
        n, d = self.as_integer_ratio()
        if d == 1:
            return hash(n)
        from fractions import Fraction

        return hash(Fraction(n, d))

    def _other(self, value):
        if isinstance(value, Decimal):
            return value
        return Decimal(value) if isinstance(value, (int, bool)) else None

    def _nan(self, other):
        # The result of an operation with a NaN, or None.
        for each in (self, other):
            if each is not None and each._kind == "snan":
                return _context._raise(InvalidOperation, _make(each._sign, each._int, 0, "nan"))
        for each in (self, other):
            if each is not None and each._kind == "nan":
                return each
        return None

    def _compare(self, other):
        # -1, 0 or 1; both numbers are no NaN.
        if self._kind or other._kind:
            a = 0 if not self._kind else -1 if self._sign else 1
            b = 0 if not other._kind else -1 if other._sign else 1
            return (a > b) - (a < b)
        least = min(self._exp, other._exp)
        a = self._int * 10 ** (self._exp - least)
        b = other._int * 10 ** (other._exp - least)
        a = -a if self._sign else a
        b = -b if other._sign else b
        return (a > b) - (a < b)

    def _order(self, other, test):
        if isinstance(other, float):
            other = Decimal(other)
        elif not isinstance(other, Decimal):
            if not isinstance(other, (int, bool)):
                return NotImplemented
            other = Decimal(other)
        if "nan" in self._kind or "nan" in other._kind:
            return _context._raise(InvalidOperation, False)
        return test(self._compare(other))

    def __eq__(self, other):
        if isinstance(other, float):
            other = Decimal(other)
        else:
            other = self._other(other)
        if other is None:
            return False
        return not ("nan" in self._kind or "nan" in other._kind) and self._compare(other) == 0

    def __lt__(self, other):
        return self._order(other, lambda c: c < 0)

    def __le__(self, other):
        return self._order(other, lambda c: c <= 0)

    def __gt__(self, other):
        return self._order(other, lambda c: c > 0)

    def __ge__(self, other):
        return self._order(other, lambda c: c >= 0)

    def compare(self, other, context=None):
        other = Decimal(other)
        nan = self._nan(other)
        return nan if nan is not None else Decimal(self._compare(other))

    def _chosen(self, other, order):
        # The number of both that is larger (order 1) or smaller (-1).
        other = Decimal(other)
        if "nan" in self._kind or "nan" in other._kind:
            if "snan" in (self._kind, other._kind) or self._kind == other._kind:
                return self._nan(other)
            found = other if self._kind == "nan" else self
        else:
            c = self._compare(other)
            if not c:
                c = other._sign - self._sign or (
                    (self._exp > other._exp) - (self._exp < other._exp)) * (-1) ** self._sign
            found = self if c == order else other
        return found if found._kind else _fit(found._sign, found._int, found._exp)

    def max(self, other, context=None):
        return self._chosen(other, 1)

    def min(self, other, context=None):
        return self._chosen(other, -1)

    def __pos__(self):
        if self._kind:
            nan = self._nan(None)
            return self if nan is None else nan
        return _fit(self._sign if self._int else 0, self._int, self._exp)

    def __neg__(self):
        nan = self._nan(None)
        if nan is not None:
            return nan
        if self._kind:
            return _make(1 - self._sign, 0, 0, self._kind)
        return _fit(1 - self._sign if self._int else 0, self._int, self._exp)

    def __abs__(self):
        return -self if self._sign and "nan" not in self._kind else +self

    def copy_abs(self):
        return _make(0, self._int, self._exp, self._kind)

    def copy_negate(self):
        return _make(1 - self._sign, self._int, self._exp, self._kind)

    def copy_sign(self, other, context=None):
        return _make(Decimal(other)._sign, self._int, self._exp, self._kind)

    def __add__(self, other):
        other = self._other(other)
        if other is None:
            return NotImplemented
        if self._kind or other._kind:
            nan = self._nan(other)
            if nan is not None:
                return nan
            if self._kind and other._kind and self._sign != other._sign:
                return _context._raise(InvalidOperation, _make(0, 0, 0, "nan"))
            return self if self._kind else other
        exponent = min(self._exp, other._exp)
        a = self._int * 10 ** (self._exp - exponent)
        b = other._int * 10 ** (other._exp - exponent)
        n = (-a if self._sign else a) + (-b if other._sign else b)
        if n:
            sign = int(n < 0)
        elif self._sign == other._sign:
            sign = self._sign
        else:
            sign = int(_context.rounding == ROUND_FLOOR)
        return _fit(sign, abs(n), exponent)

    __radd__ = __add__

    def __sub__(self, other):
        other = self._other(other)
        if other is None:
            return NotImplemented
        return self + (other if "nan" in other._kind else other.copy_negate())

    def __rsub__(self, other):
        return Decimal(other) - self

    def __mul__(self, other):
        other = self._other(other)
        if other is None:
            return NotImplemented
        sign = self._sign ^ other._sign
        if self._kind or other._kind:
            nan = self._nan(other)
            if nan is not None:
                return nan
            if not self or not other:
                return _context._raise(InvalidOperation, _make(0, 0, 0, "nan"))
            return _make(sign, 0, 0, "inf")
        return _fit(sign, self._int * other._int, self._exp + other._exp)

    __rmul__ = __mul__

    def _by_zero(self, other, sign):
        if not self:
            return _context._raise(InvalidOperation, _make(0, 0, 0, "nan"), [DivisionUndefined])
        return _context._raise(DivisionByZero, _make(sign, 0, 0, "inf"))

    def __truediv__(self, other):
        other = self._other(other)
        if other is None:
            return NotImplemented
        sign = self._sign ^ other._sign
        if self._kind or other._kind:
            nan = self._nan(other)
            if nan is not None:
                return nan
            if self._kind and other._kind:
                return _context._raise(InvalidOperation, _make(0, 0, 0, "nan"))
            return _make(sign, 0, 0, "inf") if self._kind else _fit(
                sign, 0, _context.Emin - _context.prec + 1)
        if not other._int:
            return self._by_zero(other, sign)
        if not self._int:
            return _fit(sign, 0, self._exp - other._exp)
        shift = max(_size(other._int) - _size(self._int) + _context.prec + 1, 0)
        exponent = self._exp - other._exp - shift
        q, r = divmod(self._int * 10 ** shift, other._int)
        if r:
            # A last digit that is no 0 or 5 stands for the rest.
            if q % 5 == 0:
                q += 1
        else:
            ideal = self._exp - other._exp
            while exponent < ideal and q % 10 == 0:
                q //= 10
                exponent += 1
        return _fit(sign, q, exponent)

    def __rtruediv__(self, other):
        return Decimal(other) / self

    def _divided(self, other):
        # Integer quotient and remainder, with the sign of self.
        exponent = min(self._exp, other._exp)
        a = self._int * 10 ** (self._exp - exponent)
        b = other._int * 10 ** (other._exp - exponent)
        q, r = divmod(a, b)
        if _size(q) > _context.prec:
            _context._raise(InvalidOperation, None, "quotient too large")
        return (_make(self._sign ^ other._sign, q, 0), _fit(self._sign, r, exponent))

    def _special_division(self, other, quotient):
        nan = self._nan(other)
        if nan is not None:
            return nan
        sign = self._sign ^ other._sign
        if self._kind:
            if other._kind or not quotient:
                return _context._raise(InvalidOperation, _make(0, 0, 0, "nan"))
            return _make(sign, 0, 0, "inf")
        return _make(sign, 0, 0) if quotient else _fit(self._sign, self._int, self._exp)

    def __floordiv__(self, other):
        other = self._other(other)
        if other is None:
            return NotImplemented
        if self._kind or other._kind:
            return self._special_division(other, True)
        if not other._int:
            return self._by_zero(other, self._sign ^ other._sign)
        return self._divided(other)[0]

    def __rfloordiv__(self, other):
        return Decimal(other) // self

    def __mod__(self, other):
        other = self._other(other)
        if other is None:
            return NotImplemented
        if self._kind or other._kind:
            return self._special_division(other, False)
        if not other._int:
            return _context._raise(InvalidOperation, _make(0, 0, 0, "nan"),
                                   [InvalidOperation if self else DivisionUndefined])
        return self._divided(other)[1]

    def __rmod__(self, other):
        return Decimal(other) % self

    def __divmod__(self, other):
        return self // other, self % other

    def remainder_near(self, other, context=None):
        other = Decimal(other)
        q, r = self._divided(other)
        twice = _make(0, 2 * r._int, r._exp)._compare(other.copy_abs())
        if twice > 0 or twice == 0 and q._int & 1:
            r = r - other.copy_sign(self)
        return r

    def __pow__(self, other, modulo=None):
        other = self._other(other)
        if other is None:
            return NotImplemented
        nan = self._nan(other)
        if nan is not None:
            return nan
        if not other:
            if not self:
                return _context._raise(InvalidOperation, _make(0, 0, 0, "nan"))
            return Decimal(1)
        whole = not other._kind and other == int(other)
        if whole and not self._kind and self._int:
            n = int(other)
            sign = self._sign & n & 1
            if n > 0 and _size(self._int) * n < 4 * _context.prec + 1000:
                return _fit(sign, self._int ** n, self._exp * n)
            if n < 0 and _size(self._int) * -n < 4 * _context.prec + 1000:
                return Decimal(1) / _make(sign, self._int ** -n, self._exp * -n)
        import _decimalmath

        return _decimalmath.power(self, other, whole)

    def __rpow__(self, other):
        return Decimal(other) ** self

    def sqrt(self, context=None):
        if self._kind or not self._int or self._sign:
            nan = self._nan(None)
            if nan is not None:
                return nan
            if not self._kind and not self._int:
                return _make(self._sign, 0, self._exp // 2)
            if self._sign:
                return _context._raise(InvalidOperation, _make(0, 0, 0, "nan"))
            return self
        from math import isqrt

        ideal = self._exp // 2
        n = self._int * 10 if self._exp % 2 else self._int
        shift = max(_context.prec + 1 - (_size(n) + 1) // 2, 0)
        n *= 100 ** shift
        root = isqrt(n)
        exponent = ideal - shift
        if root * root == n:
            while exponent < ideal and root % 10 == 0:
                root //= 10
                exponent += 1
        elif root % 5 == 0:
            root += 1
        return _within_half_even(root, exponent)

    def exp(self, context=None):
        import _decimalmath

        return _decimalmath.exp(self)

    def ln(self, context=None):
        import _decimalmath

        return _decimalmath.ln(self)

    def log10(self, context=None):
        import _decimalmath

        return _decimalmath.log10(self)

    def fma(self, other, third, context=None):
        other = Decimal(other)
        third = Decimal(third)
        if self._kind or other._kind:
            if self._kind != "snan" and other._kind != "snan" and third._kind == "snan":
                return third._nan(None)
            return self * other + third
        product = _make(self._sign ^ other._sign, self._int * other._int, self._exp + other._exp)
        return product + third

    def _rescaled(self, exponent, rounding):
        # (coefficient, whether digits were lost) at an exponent.
        if exponent <= self._exp:
            return self._int * 10 ** (self._exp - exponent), False
        scale = 10 ** (exponent - self._exp)
        q, r = divmod(self._int, scale)
        return q + bool(_round_up(q, r, scale, self._sign, rounding)), bool(r)

    def quantize(self, exp, rounding=None, context=None):
        exp = Decimal(exp)
        context = context or _context
        if self._kind or exp._kind:
            nan = self._nan(exp)
            if nan is not None:
                return nan
            if self._kind == exp._kind:
                return self
            return context._raise(InvalidOperation, _make(0, 0, 0, "nan"))
        n, _ = self._rescaled(exp._exp, rounding or context.rounding)
        if _size(n) > context.prec:
            return context._raise(InvalidOperation, _make(0, 0, 0, "nan"))
        return _make(self._sign, n, exp._exp)

    def to_integral_value(self, rounding=None, context=None):
        if self._kind == "snan":
            return self._nan(None)
        if self._kind or self._exp >= 0:
            return self
        return _make(self._sign, self._rescaled(0, rounding or _context.rounding)[0], 0)

    to_integral = to_integral_exact = to_integral_value

    def __round__(self, n=None):
        if n is None:
            return int(self.to_integral_value(ROUND_HALF_EVEN))
        return self.quantize(_make(0, 1, -n), ROUND_HALF_EVEN)

    def __floor__(self):
        return int(self.to_integral_value(ROUND_FLOOR))

    def __ceil__(self):
        return int(self.to_integral_value(ROUND_CEILING))

    def normalize(self, context=None):
        new = +self
        if new._kind:
            return new
        n, exponent = new._int, new._exp
        if not n:
            return _make(self._sign, 0, 0)
        while n % 10 == 0:
            n //= 10
            exponent += 1
        return _make(new._sign, n, exponent)

    def adjusted(self):
        return 0 if self._kind else self._exp + _size(self._int) - 1

    def scaleb(self, other, context=None):
        if self._kind:
            nan = self._nan(None)
            return self if nan is None else nan
        return _fit(self._sign, self._int, self._exp + int(other))

    def logb(self, context=None):
        nan = self._nan(None)
        if nan is not None:
            return nan
        if self._kind:
            return _make(0, 0, 0, "inf")
        if not self._int:
            return _context._raise(DivisionByZero, _make(1, 0, 0, "inf"))
        return +Decimal(self.adjusted())

    def _next(self, toward, negative):
        # The neighbour of the number in the direction of a rounding.
        nan = self._nan(None)
        if nan is not None:
            return nan
        context = _context.copy()
        context.traps = {}
        context.rounding = toward
        if self._kind:
            if self._sign == negative:
                return self
            size = context.prec
            return _make(self._sign, 10 ** size - 1, context.Emax - size + 1)
        fitted = _fit(self._sign, self._int, self._exp, context)
        if fitted._kind or fitted._compare(self):
            return fitted
        least = context.Emin - context.prec + 1
        if not self._int:
            return _make(negative, 1, least)
        # The digits fill the precision, so the neighbour differs by one in the last of them.
        exponent = max(self._exp - context.prec + _size(self._int), least)
        n = self._int * 10 ** (self._exp - exponent)
        if self._sign == negative:
            n += 1
        elif n == 10 ** (context.prec - 1) and exponent > least:
            n = n * 10 - 1
            exponent -= 1
        else:
            n -= 1
        return _fit(self._sign, n, exponent, context)

    def next_plus(self, context=None):
        return self._next(ROUND_CEILING, 0)

    def next_minus(self, context=None):
        return self._next(ROUND_FLOOR, 1)

    def next_toward(self, other, context=None):
        other = Decimal(other)
        nan = self._nan(other)
        if nan is not None:
            return nan
        order = self._compare(other)
        if not order:
            return self.copy_sign(other)
        return self.next_plus() if order < 0 else self.next_minus()

    def same_quantum(self, other, context=None):
        other = Decimal(other)
        if self._kind or other._kind:
            return self.is_nan() and other.is_nan() or self._kind == other._kind == "inf"
        return self._exp == other._exp

    def is_finite(self):
        return not self._kind

    def is_infinite(self):
        return self._kind == "inf"

    def is_nan(self):
        return "nan" in self._kind

    def is_qnan(self):
        return self._kind == "nan"

    def is_snan(self):
        return self._kind == "snan"

    def is_signed(self):
        return bool(self._sign)

    def is_zero(self):
        return not self._kind and not self._int

    def is_normal(self, context=None):
        return bool(self) and not self._kind and self.adjusted() >= _context.Emin

    def is_subnormal(self, context=None):
        return bool(self) and not self._kind and self.adjusted() < _context.Emin

    def is_canonical(self):
        return True

    def canonical(self):
        return self

    conjugate = canonical

    @property
    def real(self):
        return self

    @property
    def imag(self):
        return Decimal(0)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def _within_half_even(n, exponent):
    context = _context.copy()
    context.rounding = ROUND_HALF_EVEN
    return _fit(0, n, exponent, context)


def _from_float(x):
    if x != x:
        return 0, 0, 0, "nan"
    if x - x != 0:
        return int(x < 0), 0, 0, "inf"
    from fractions import _ratio
    import umath as math

    n, d = _ratio(x)
    bits = 0
    while d > 1:
        d >>= 1
        bits += 1
    return int(math.copysign(1.0, x) < 0), abs(n) * 5 ** bits, -bits, ""
