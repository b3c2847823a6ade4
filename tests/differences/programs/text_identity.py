# Texts: Identity of equal texts
a = 'x' * 50
b = 'x' * 50
print(a is b)
