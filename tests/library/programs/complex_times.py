import cmath, time
for f in "acos acosh asin asinh atan atanh cosh sinh tan tanh sqrt exp log".split():
    for z in (0.5 + 1j, -2 + 0.3j, 3 - 4j, 0.25j, -0.7 - 0.1j, 1.5, -0.5):
        w = getattr(cmath, f)(z); print(f, z, "%.10f %.10f" % (w.real + 0.0, w.imag + 0.0))
print(cmath.isclose(1, 1 + 1e-12), cmath.inf, cmath.isnan(complex(0, cmath.nan)), cmath.tau, cmath.polar(1j))
t = time.gmtime(86400 * 365); print(t, t.tm_year, t[:6], time.strftime("%Y-%m-%d %H:%M:%S %j %a", t), time.asctime(t), time.strptime("2020-02-03", "%Y-%m-%d")[:8], time.perf_counter() <= time.perf_counter(), time.monotonic() > 0, time.time() > 1)
