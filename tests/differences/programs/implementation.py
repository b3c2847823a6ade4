# Library: `sys.implementation`
import sys
print(sys.implementation.name)
