# Functions: Annotations of modules are discarded
x: int = 1
print(__annotations__)
