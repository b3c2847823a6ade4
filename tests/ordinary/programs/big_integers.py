def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def digits_of_pi(n):
    q, r, t, k, m, x = 1, 0, 1, 1, 3, 3
    found = []
    while len(found) < n:
        if 4 * q + r - t < m * t:
            found.append(str(m))
            q, r, m = 10 * q, 10 * (r - m * t), (10 * (3 * q + r)) // t - 10 * m
        else:
            q, r, t, k, m, x = (
                q * k,
                (2 * q + r) * x,
                t * x,
                k + 1,
                (q * (7 * k + 2) + r * x) // (t * x),
                x + 2,
            )
    return "".join(found)


def isqrt(n):
    x = n
    while x * x > n:
        x = (x + n // x) // 2
    return x


print(factorial(50))
print(fibonacci(300))
print(digits_of_pi(50))
print(isqrt(2 * 10**60))
p, q, e = 2**61 - 1, 2**89 - 1, 65537
message = int.from_bytes(b"snake eyes", "big")
secret = pow(message, e, p * q)
d = pow(e, (p - 1) * (q - 2) // (p - 1), q)
print(hex(secret), secret.to_bytes(20, "big")[:4])
print(sum(int(c) for c in str(2**1000)), len(str(3**500)), -(2**70) // 7, -(2**70) % 7)
print((1 << 100) | 5, ~(1 << 65), (1 << 100) >> 90)
