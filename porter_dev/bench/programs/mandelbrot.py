def main(pixel):
    cr = pixel % 8 * 0.375 - 2.0
    ci = pixel // 8 * 0.375 - 1.25
    zr = zi = 0.0
    steps = 0
    while steps < 100:
        rr = zr * zr
        ii = zi * zi
        if rr + ii > 4.0:
            break
        zi = 2.0 * zr * zi + ci
        zr = rr - ii + cr
        steps += 1
    print(steps)


main(threadIdx % 64)
