# Types: Unions of types
# A union is a tuple of types, which `isinstance` accepts.
print(isinstance(1, int | str), int | None)
