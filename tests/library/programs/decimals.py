from decimal import *
from decimal import Decimal as D
print(D("1.10") + D("2.2"), D(1) / D(3), D("0.1") * 3, D(10) / 4, D("1e10"), D("1E-10"), D("-0"), D(7) // D(2), D(-7) // D(2), D(7) % D(3), D(-7) % D(3), D(2) ** 10, D(2) ** -2, D("1.5") ** 3, D(2).sqrt(), D("0.25").sqrt(), D(0.1), D("3.14159").quantize(D("0.01")), D("2.5").quantize(D("1")), D("2.675").quantize(D("0.01"), rounding=ROUND_HALF_UP), -D("1.5"), abs(D(-2)), D("1.20").normalize(), D("100").normalize(), D("Infinity"), D("nan"), repr(D("1.0")), D(5).as_tuple(), D("12.34").as_tuple()[1])
print(D(1) < 2, D("1.0") == 1, D("0.5") == 0.5, hash(D(2)) == hash(2), int(D("3.9")), float(D("1.25")), D("1e3"), D("123456789012345678901234567890") + 1, D("1") / D("7"), sum([D("0.1")] * 10), max(D(1), D(2)), sorted([D(3), D(1)]), bool(D(0)), 3 - D(1), 1 / D(4), D("1.234567").quantize(D(".001"), ROUND_DOWN), D("10").ln(), D(1).exp(), D(100).log10(), D(2).ln(), D(2) ** D("0.5"), D("2.5").to_integral_value(), D("1.1").as_integer_ratio(), D(3).log10(), D("1e-5"), D("1e-7"), D("0.000001"), D("0.0000001"), D("-1.5e3"), D("5E+3"), D(10) ** 30, D("0.00"), D("1.5").adjusted())
for f in ("D('x')", "D(1) / 0", "D(0) / 0", "D(-1).sqrt()", "D(None)", "D(1) + 1.5"):
    try: print(eval(f))
    except Exception as e: print(type(e).__name__)
with localcontext() as c:
    c.prec = 5; print(D(1) / 3, D("123456") + 1, D(2).sqrt(), getcontext().prec)
getcontext().prec = 50; print(D(1) / 7, D(2).sqrt(), D(2).ln(), D(10).exp(), D(3) ** D("1.5"))
getcontext().prec = 28; getcontext().rounding = ROUND_UP; print(D(1) / 3)
for zero in ("0", "-0", "-0.000", "0E+3", "-0E-7"):
    print(D(zero).normalize(), -D(zero), format(D(zero), ".3e"), format(D(zero), "e"), D(zero) * 3)
