# Keys of RSA with small primes of 60 bits, and a factor found by chance.
def gcd(a, b):
    x, y = 0, 1
    first = b
    while a:
        quotient, rest = b // a, b % a
        a, b, x, y = rest, a, y, x - quotient * y
    return b, x % first


def factor(n, c):
    slow = fast = 2
    for count in range(60):
        slow = (slow * slow + c) % n
        fast = (fast * fast + c) % n
        fast = (fast * fast + c) % n
        found = gcd(abs(slow - fast), n)[0]
        if 1 < found < n:
            return found, count
    return 1, 60


t = threadIdx % 64
p, q = 1152921504606846883, 1152921504606846697
e = 65537 + 2 * t
one, d = gcd(e, (p - 1) * (q - 1))
while one != 1:
    e += 2
    one, d = gcd(e, (p - 1) * (q - 1))
secret = pow(t + 12345678901234567890, e, p * q)
print(secret % 1000003, pow(secret, d, p * q), factor(1009 * (10007 + 10 * t), t % 5 + 1))
