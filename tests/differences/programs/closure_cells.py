# Functions: `__closure__`
def outer():
    x = 1
    return lambda: x
print(outer().__closure__[0].cell_contents)
