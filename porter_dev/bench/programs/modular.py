PRIME = 2**127 - 1


def power(base, exponent, modulus):
    result = 1
    while exponent:
        if exponent & 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent >>= 1
    return result


def probably_prime(n):
    odd, twos = n - 1, 0
    while odd & 1 == 0:
        odd >>= 1
        twos += 1
    for witness in (2, 3):
        x = power(witness, odd, n)
        if x == 1 or x == n - 1:
            continue
        for _ in range(twos - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def main(seed):
    x = seed * 0x9E3779B97F4A7C15F39CC0605CEDC835 % PRIME
    inverse = power(x, PRIME - 2, PRIME)
    n = x | 1 << 126 | 1
    print(x * inverse % PRIME, inverse & 0xFFFFFFFF, probably_prime(n))


main(threadIdx % 64 + 1)
