# Statements: `:=` in the iterable of a comprehension
# The assignment is accepted.
try:
    compile('[x for x in (y := [1])]', 'f', 'exec')
except SyntaxError:
    print('refused')
else:
    print('accepted')
