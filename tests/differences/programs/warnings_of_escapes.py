# Statements: A warning of an invalid escape
import warnings
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter('always')
    compile(r"x = '\d'", 'f', 'exec')
print(len(found))
