# A class's dict may have keys that are str objects: these exist before any code has the names.
keys = ["".join(["some_", "method"]), "".join(["attr", "ibute_1"])]
members = {keys[0]: lambda self: 2, keys[1]: 3}
exec(
    """
class Base:
    def some_method(self): return 1
    def other(self): return 1
def call(x): return x.some_method(), x.some_method() + x.other(), x.attribute_1
def total(objects):
    found = 0
    for each in objects:
        found += each.some_method() * 10 + each.other()
    return found
Derived = type("Derived", (Base,), members)
for _ in range(3):
    print(call(Derived()), total([Derived(), Base(), Derived()]))
"""
)
