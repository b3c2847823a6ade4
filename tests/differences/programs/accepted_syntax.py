# Statements: Syntax that CPython refuses
# `await` in a function that is not asynchronous, alternatives of a pattern that bind different names,
# and a trailing comma of an import without parentheses are accepted.
def attempt(text):
    try:
        compile(text, 'f', 'exec')
        print('accepted')
    except SyntaxError:
        print('refused')
attempt('def f(): await g()')
attempt('match x:\n case [a] | None: pass')
attempt('from a import b,')
