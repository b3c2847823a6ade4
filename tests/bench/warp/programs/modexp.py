def main(seed):
    modulus = (1 << 127) - 1
    base = 3 + seed * 0x123456789ABCDEF01234567
    exponent = 0xDEADBEEFCAFE1234
    result = 1
    while exponent:
        if exponent & 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent >>= 1
    print(result)


main(threadIdx)
