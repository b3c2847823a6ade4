def f(n):
    z = 0.0
    for i in range(n):
        print(0.0 - i, z - i, -(0.0 - i), -0.0 - i, 0.0 - (i & 1), 0 - float(i), (0.0 - i) ** 2)


f(3)
for k in range(2):
    print(0.0 - k)
