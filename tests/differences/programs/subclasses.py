# Classes: `__subclasses__`
class A: pass
class B(A): pass
print([each.__name__ for each in A.__subclasses__()])
