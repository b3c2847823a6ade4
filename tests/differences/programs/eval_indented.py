# Statements: `eval` of a text that begins with spaces
try:
    print(eval(' 1'))
except IndentationError:
    print('IndentationError')
