def numbers(start):
    x = start
    while True:
        x = (x * 1103 + 12345) % 65537
        if threadIdx % 4 != 3 and x % 3 == 0:
            yield x


def main(start):
    total = 0
    source = numbers(start)
    for _ in range(40):
        total += next(source)
    print(total)


main(threadIdx)
