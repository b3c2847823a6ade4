def collatz(n):
    steps = 0
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        steps += 1
    return steps

n = threadIdx % 3 + 26
print(n, 'reaches 1 in', collatz(n), 'steps')
