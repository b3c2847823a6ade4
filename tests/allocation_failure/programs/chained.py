# Exceptions raised while others are handled.
def fail(n):
    try:
        return [n][n]
    except IndexError as e:
        try:
            return {}[n]
        except KeyError as k:
            raise ValueError(n) from k


for n in range(3):
    try:
        print(fail(n))
    except ValueError as e:
        print(type(e).__name__, e.args)
