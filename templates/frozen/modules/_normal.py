# The normal distribution of module statistics.
import umath as math


class NormalDist:
    __module__ = "statistics"

    def __init__(self, mu=0.0, sigma=1.0):
        if sigma < 0.0:
            from statistics import StatisticsError

            raise StatisticsError("sigma must be non-negative")
        self._mu = float(mu)
        self._sigma = float(sigma)

    @classmethod
    def from_samples(cls, data):
        from statistics import fmean, stdev

        data = list(data)
        mean = fmean(data)
        return cls(mean, stdev(data, mean))

    @property
    def mean(self):
        return self._mu

    median = mode = mean

    @property
    def stdev(self):
        return self._sigma

    @property
    def variance(self):
        return self._sigma * self._sigma

    def samples(self, n, *, seed=None):
        import random

        source = random if seed is None else random.Random(seed)
        return [source.gauss(self._mu, self._sigma) for _ in range(n)]

    def pdf(self, x):
        variance = self._sigma * self._sigma
        if not variance:
            from statistics import StatisticsError

            raise StatisticsError("pdf() not defined when sigma is zero")
        d = x - self._mu
        return math.exp(d * d / (-2.0 * variance)) / math.sqrt(2.0 * math.pi * variance)

    def cdf(self, x):
        return 0.5 * (1.0 + math.erf((x - self._mu) / (self._sigma * math.sqrt(2.0))))

    def inv_cdf(self, p):
        if p <= 0.0 or p >= 1.0:
            from statistics import StatisticsError

            raise StatisticsError("p must be in the range 0.0 < p < 1.0")
        # Bisection to a starting value, then Newton's method.
        low, high = -40.0, 40.0
        unit = NormalDist()
        for _ in range(30):
            x = 0.5 * (low + high)
            if unit.cdf(x) < p:
                low = x
            else:
                high = x
        for _ in range(3):
            density = unit.pdf(x)
            if density:
                x -= (unit.cdf(x) - p) / density
        return self._mu + x * self._sigma

    def zscore(self, x):
        return (x - self._mu) / self._sigma

    def quantiles(self, n=4):
        return [self.inv_cdf(i / n) for i in range(1, n)]

    def __add__(self, other):
        if isinstance(other, NormalDist):
            return NormalDist(self._mu + other._mu, math.sqrt(self.variance + other.variance))
        return NormalDist(self._mu + other, self._sigma)

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, NormalDist):
            return NormalDist(self._mu - other._mu, math.sqrt(self.variance + other.variance))
        return NormalDist(self._mu - other, self._sigma)

    def __mul__(self, other):
        return NormalDist(self._mu * other, self._sigma * abs(other))

    __rmul__ = __mul__

    def __truediv__(self, other):
        return NormalDist(self._mu / other, self._sigma / abs(other))

    def __neg__(self):
        return NormalDist(-self._mu, self._sigma)

    def __eq__(self, other):
        return isinstance(other, NormalDist) and (self._mu, self._sigma) == (other._mu, other._sigma)

    def __hash__(self):
        return hash((self._mu, self._sigma))

    def __repr__(self):
        return f"NormalDist(mu={self._mu!r}, sigma={self._sigma!r})"
