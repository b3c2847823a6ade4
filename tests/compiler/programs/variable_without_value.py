# A handler leaves a variable unbound, and native code was entered after the handler.
def f(x):
    try:
        nowhere.append(1)
        y = x
    except NameError:
        print("caught")
    else:
        y += 1
    for i in range(2):
        print(i)
    return y + 1


def g(x):
    try:
        del x
        x = late
    except NameError:
        print("caught")
    else:
        late |= 1
    yield from range(2)
    yield late + late


for call in (f, lambda x: list(g(x))):
    try:
        print(call(1))
    except NameError:
        print("NameError")
