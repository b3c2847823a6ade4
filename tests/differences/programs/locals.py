# Functions: The result of `locals()` in a function
# It returns the module's names.
def f():
    inside = 1
    return 'inside' in locals()
print(f())
