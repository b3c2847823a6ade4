# Statements: `case` with an operation
# A constant expression is accepted.
try:
    compile('match 2:\n case 1 + 1: pass', 'f', 'exec')
except SyntaxError:
    print('refused')
else:
    print('accepted')
