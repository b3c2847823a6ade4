class Refused(Exception):
    pass


def risky(x):
    if x % 3 == 0:
        raise Refused(x)
    if x % 5 == 1:
        return 100 // (x % 5 - 1)
    return x


def main(seed):
    x = seed * 7919 + 1
    total = refused = divided = 0
    for _ in range(48):
        x = (x * 1103 + 12345) % 65537
        try:
            total += risky(x)
        except Refused as error:
            refused += error.args[0]
        except ZeroDivisionError:
            divided += 1
    print(total, refused, divided)


main(threadIdx)
