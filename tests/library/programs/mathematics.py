import math
print(math.gcd(12, 18), math.gcd(), math.gcd(0, 5, 10), math.lcm(4, 6), math.lcm(), math.lcm(0, 3), math.comb(10, 3), math.comb(3, 5), math.perm(5, 2), math.perm(4), math.isqrt(10**40 + 7), [math.isqrt(n) for n in (0, 1, 3, 4, 99, 2**40, 2**64 - 1)], math.prod([1, 2, 3]), math.prod([2.0], start=3))
print(math.hypot(3, 4), math.hypot(1, 2, 3), math.hypot(), math.dist([1, 2], [4, 6]), math.fsum([0.1] * 10), math.fsum([1e100, 1.0, -1e100]), math.cbrt(-8.0), math.exp2(10), math.log1p(1e-10), math.remainder(5, 3), math.nextafter(1.0, 2), math.ulp(1.0), math.factorial(20), math.factorial(0))
for f in ("math.factorial(-1)", "math.factorial(1.5)", "math.gcd(1.5)", "math.comb(-1,2)", "math.isqrt(-1)", "math.sqrt(-1)", "math.log(0)"):
    try: print(eval(f))
    except Exception as e: print(type(e).__name__, e)
from math import *
print(pi, floor(2.5), ceil(2.1), log(10**400), log2(2**2000), log10(10**400), gcd(4, 6), log(8, 2), inf, trunc(-2.5), sqrt(2))
