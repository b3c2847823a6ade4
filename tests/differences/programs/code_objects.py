# Functions: Code objects
def f(a, b): pass
print(f.__code__.co_argcount)
