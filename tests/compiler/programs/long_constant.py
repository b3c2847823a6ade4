# Constants that Python's int() refuses to read, and the least small integer, folded.
def f():
    x = 10**5000
    return x % 1000003, -(2**46)


for i in range(3):
    print(f(), -(2**46), i)
