def main(seed):
    x = seed
    values = []
    for _ in range(60):
        x = (x * 1103 + 12345) % 65537
        values.append(x)
    values.sort()
    last = sorted(values, key=lambda v: v - v % 100 * 65537)
    print(values[0], values[59], last[:3])


main(threadIdx % 8)
