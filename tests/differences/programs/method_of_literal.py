# Statements: A method of a float literal
# The literal needs parentheses: `(1.5).hex()`.
print(eval('1.5.is_integer()'))
