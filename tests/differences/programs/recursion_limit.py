# Functions: The depth of recursion
# The frame stack and the C stack bound the depth, not `sys.setrecursionlimit`.
import sys
sys.setrecursionlimit(50)
def f(n): return n and f(n - 1)
try:
    print(f(100))
except RecursionError:
    print('refused')
