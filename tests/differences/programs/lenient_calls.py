# Containers: Arguments that CPython refuses
# They are accepted.
def attempt(call):
    try:
        print(call())
    except TypeError:
        print('TypeError')
attempt(lambda: [1].insert('a', 0))
attempt(lambda: sum(['a', 'b'], ''))
