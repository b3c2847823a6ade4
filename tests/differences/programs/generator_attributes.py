# Functions: Attributes of generators
def g(): yield 1
print(g().gi_running)
