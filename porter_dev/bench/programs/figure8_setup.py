# Create the matrix of Figure 8 for CPython and MicroPython; porter_dev/bench/oracle.py creates the
# same matrix for interpreters. The sum of a column is exact in 32 bits, in any order.
from array import array


def line(row):
    return [(row + 1) * (column + 1) % 37 / 4 for column in range(32)]


def matrix(rows, columns):
    memory = bytearray(4 * rows * columns)
    for row in range(rows):
        cells = (bytes(array("f", line(row))) * (columns // 32 + 1))[: 4 * columns]
        memory[4 * row * columns : 4 * (row + 1) * columns] = cells
    return memoryview(array("f", memory))


data = matrix(256, numThreads)


def reset(first, count):
    cells = line(0)
    for column in range(first, first + count):
        data[column] = cells[column % 32]


def report(first, count):
    return "".join(["%d\n" % (4 * data[column]) for column in range(first, first + count)])
