def place(row, size, columns):
    if row == size:
        return 1
    found = 0
    for column in range(size):
        for other in range(row):
            gap = columns[other] - column
            if gap == 0 or gap == row - other or gap == other - row:
                break
        else:
            columns[row] = column
            found += place(row + 1, size, columns)
    return found


def main(size):
    print(place(0, size, [0] * size))


main(4 + threadIdx % 2)
