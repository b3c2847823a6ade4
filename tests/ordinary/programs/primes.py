def sieve(limit):
    flags = [True] * (limit + 1)
    flags[0] = flags[1] = False
    for n in range(2, int(limit**0.5) + 1):
        if flags[n]:
            for multiple in range(n * n, limit + 1, n):
                flags[multiple] = False
    return [n for n, prime in enumerate(flags) if prime]


def factors(n):
    found = []
    p = 2
    while p * p <= n:
        while n % p == 0:
            found.append(p)
            n //= p
        p += 1
    if n > 1:
        found.append(n)
    return found


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def is_prime(n):
    if n < 2:
        return False
    for base in (2, 3, 5, 7, 11):
        if n % base == 0:
            return n == base
        if pow(base, n - 1, n) != 1:
            return False
    return True


primes = sieve(2000)
print(len(primes), primes[:15], primes[-3:])
print([(a, b) for a, b in zip(primes, primes[1:]) if b - a == 2][:8])
for n in (360, 9973, 1001, 2**20 - 1):
    print(n, "=", " * ".join(map(str, factors(n))))
print([n for n in range(1, 30) if gcd(n, 30) == 1])
print(is_prime(1000003), is_prime(1000001), is_prime(2**61 - 1))
print(sum(primes), max(b - a for a, b in zip(primes, primes[1:])))
