# Functions: Assigning a function's name another type
def f(): pass
f.__name__ = 3
