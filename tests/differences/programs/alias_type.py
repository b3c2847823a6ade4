# Types: Subscripts of built-in types
# The result is the type itself.
print(list[int], dict[str, int]())
