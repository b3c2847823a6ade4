def collatz(x):
    steps = 0
    while x != 1:
        x = x * 3 + 1 if x % 2 else x // 2
        steps += 1
    return steps


print(collatz(threadIdx + 1), collatz(threadIdx + 97))
