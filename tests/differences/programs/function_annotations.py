# Functions: Annotations of functions are discarded
def f(x: int) -> str: pass
print(f.__annotations__)
