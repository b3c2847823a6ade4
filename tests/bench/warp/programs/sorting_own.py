def main(seed):
    x = seed * 7919 + 1
    values = []
    for _ in range(60):
        x = (x * 1103 + 12345) % 65537
        values.append(x)
    values.sort()
    last = sorted(values, key=lambda v: v % 1000)
    print(values[0], values[59], last[:3])


main(threadIdx)
