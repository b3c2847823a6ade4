# Containers: Sorting values without an order
# The permutation differs.
nan = float('nan')
print(sorted([3.0, nan, 1.0, nan, 2.0, 0.0]))
