# Distributions of module random that few programs use. Each draws the numbers that CPython draws.
import umath as math


def normalvariate(self, mu=0.0, sigma=1.0):
    # Kinderman and Monahan's ratio of uniforms.
    magic = 4 * math.exp(-0.5) / math.sqrt(2.0)
    while True:
        u1 = self.random()
        u2 = 1.0 - self.random()
        z = magic * (u1 - 0.5) / u2
        if z * z / 4.0 <= -math.log(u2):
            return mu + z * sigma


def lognormvariate(self, mu=0.0, sigma=1.0):
    return math.exp(normalvariate(self, mu, sigma))


def vonmisesvariate(self, mu, kappa):
    # Best and Fisher's rejection from a wrapped Cauchy distribution.
    if kappa <= 1e-6:
        return 2.0 * math.pi * self.random()
    s = 0.5 / kappa
    r = s + math.sqrt(1.0 + s * s)
    while True:
        z = math.cos(math.pi * self.random())
        d = z / (r + z)
        u = self.random()
        if u < 1.0 - d * d or u <= (1.0 - d) * math.exp(d):
            break
    q = 1.0 / r
    f = (q + z) / (1.0 + q * z)
    if self.random() > 0.5:
        return (mu + math.acos(f)) % (2.0 * math.pi)
    return (mu - math.acos(f)) % (2.0 * math.pi)


def gammavariate(self, alpha, beta):
    if alpha <= 0.0 or beta <= 0.0:
        raise ValueError("gammavariate: alpha and beta must be > 0.0")
    if alpha > 1.0:
        # Cheng's GB.
        ainv = math.sqrt(2.0 * alpha - 1.0)
        b = alpha - math.log(4.0)
        c = alpha + ainv
        while True:
            u1 = self.random()
            if not 1e-7 < u1 < 0.9999999:
                continue
            u2 = 1.0 - self.random()
            v = math.log(u1 / (1.0 - u1)) / ainv
            x = alpha * math.exp(v)
            z = u1 * u1 * u2
            r = b + c * v - x
            if r + (1.0 + math.log(4.5)) - 4.5 * z >= 0.0 or r >= math.log(z):
                return x * beta
    if alpha == 1.0:
        return -math.log(1.0 - self.random()) * beta
    # Ahrens and Dieter's GS.
    while True:
        u = self.random()
        b = (math.e + alpha) / math.e
        p = b * u
        if p <= 1.0:
            x = p ** (1.0 / alpha)
        else:
            x = -math.log((b - p) / alpha)
        u = self.random()
        if p > 1.0:
            if u <= x ** (alpha - 1.0):
                break
        elif u <= math.exp(-x):
            break
    return x * beta


def betavariate(self, alpha, beta):
    y = gammavariate(self, alpha, 1.0)
    return y / (y + gammavariate(self, beta, 1.0)) if y else 0.0


def paretovariate(self, alpha):
    return (1.0 - self.random()) ** (-1.0 / alpha)


def weibullvariate(self, alpha, beta):
    return alpha * (-math.log(1.0 - self.random())) ** (1.0 / beta)


def binomialvariate(self, n=1, p=0.5):
    if n < 0:
        raise ValueError("n must be non-negative")
    if not 0.0 <= p <= 1.0:
        raise ValueError("p must be in the range 0.0 <= p <= 1.0")
    return sum([1 for _ in range(n) if self.random() < p])
