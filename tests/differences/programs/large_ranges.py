# Integers: Ranges beyond 64 bits
# Their limits are machine words.
try:
    print(list(range(10**20, 10**20 + 2)))
except OverflowError:
    print('OverflowError')
