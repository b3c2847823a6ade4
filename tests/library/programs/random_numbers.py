import random
random.seed(42)
print(random.random(), random.randint(1, 100), random.randrange(10), random.randrange(0, 100, 7), random.choice("abcdef"), random.uniform(1, 2), random.getrandbits(100), random.getrandbits(5), random.sample(range(1000), 10), random.sample([1, 2, 3, 4], 3), random.choices("abc", k=5), random.choices("abc", weights=[1, 2, 3], k=5))
l = list(range(20)); random.shuffle(l); print(l)
print(random.gauss(0, 1), random.gauss(0, 1), random.gauss(), random.normalvariate(1, 2), random.expovariate(1.5), random.triangular(), random.triangular(1, 5, 2), random.betavariate(2, 3), random.betavariate(0.5, 0.5), random.gammavariate(0.5, 2), random.lognormvariate(0, 1), random.vonmisesvariate(0, 4), random.paretovariate(3), random.weibullvariate(1, 2), random.random())
for s in (0, -5, 2**70, 1.5, -0.1, 1e300, "abc", b"xyz", True, "", 3.0):
    random.seed(s); print(s, random.random(), random.getrandbits(32))
r = random.Random(7); s = r.getstate(); a = [r.random() for _ in range(5)]; r.setstate(s); print(a == [r.random() for _ in range(5)], a)
r = random.Random(9); [r.random() for _ in range(100)]; s = r.getstate(); print(s[1][-1], sum(s[1]), s[0]); a = [r.random() for _ in range(900)]; r.setstate(s); print(a == [r.random() for _ in range(900)])
r = random.Random(3); print(r.randbytes(5), r.sample("abc", counts=[2, 1, 3], k=4), random.Random(5).sample(range(10**6), 30))
for f in ("random.randrange(0)", "random.choice([])", "random.sample([1],2)", "random.sample({1},1)", "random.choices([1],[0])"):
    try: print(eval(f))
    except Exception as e: print(type(e).__name__, str(e)[:60])
