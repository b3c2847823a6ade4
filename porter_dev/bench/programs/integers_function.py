def main(x):
    total = 0
    for i in range(256):
        total = (total * 5 + i + x) & 0xFFFF
    print(total)


main(threadIdx % 64)
