# Each name is made when a program first asks for it: most programs use one or two.


def __getattr__(name):
    if name == "count":

        def value(start=0, step=1):
            while True:
                yield start
                start += step

    elif name == "cycle":

        def value(iterable):
            seen = []
            for item in iterable:
                yield item
                seen.append(item)
            while seen:
                yield from seen

    elif name == "repeat":

        def value(object, times=None):
            if times is None:
                while True:
                    yield object
            for _ in range(times):
                yield object

    elif name == "accumulate":

        def value(iterable, func=None, *, initial=None):
            iterator = iter(iterable)
            if initial is None:
                for initial in iterator:
                    break
                else:
                    return
            yield initial
            for item in iterator:
                initial = initial + item if func is None else func(initial, item)
                yield initial

    elif name == "batched":

        def value(iterable, n, *, strict=False):
            if n < 1:
                raise ValueError("n must be at least one")
            return batches(iter(iterable), n, strict)

        def batches(iterator, n, strict):
            batch = []
            for item in iterator:
                batch.append(item)
                if len(batch) == n:
                    yield tuple(batch)
                    batch = []
            if batch:
                if strict:
                    raise ValueError("batched(): incomplete batch")
                yield tuple(batch)

    elif name == "chain":

        def chained(iterables):
            for iterable in iterables:
                yield from iterable

        class chain:
            __qualname__ = "chain"

            def __new__(cls, *iterables):
                return chained(iterables)

            from_iterable = staticmethod(chained)

        value = chain
    elif name == "compress":

        def value(data, selectors):
            for item, chosen in zip(data, selectors):
                if chosen:
                    yield item

    elif name == "dropwhile":

        def value(predicate, iterable):
            iterator = iter(iterable)
            for item in iterator:
                if not predicate(item):
                    yield item
                    break
            yield from iterator

    elif name == "filterfalse":

        def value(function, iterable):
            for item in iterable:
                if not (item if function is None else function(item)):
                    yield item

    elif name == "groupby":

        def value(iterable, key=None):
            iterator = iter(iterable)
            # state: the item read last, its key, the number of the group, whether all are read
            state = [None, None, 0, False]

            def advance():
                for item in iterator:
                    state[0] = item
                    state[1] = item if key is None else key(item)
                    return
                state[3] = True

            def group(number, wanted):
                while not state[3] and state[2] == number and state[1] == wanted:
                    yield state[0]
                    if state[2] == number:
                        advance()

            advance()
            while not state[3]:
                wanted = state[1]
                state[2] += 1
                yield wanted, group(state[2], wanted)
                while not state[3] and state[1] == wanted:
                    advance()

    elif name == "islice":

        def value(iterable, *args):
            start, step = 0, 1
            if not args or len(args) > 3:
                raise TypeError(f"islice expected {'at most 4' if args else 'at least 2'} arguments, "
                                f"got {len(args) + 1}")
            stop = args[len(args) > 1]
            if len(args) > 1:
                start = args[0] or 0
            if len(args) > 2 and args[2] is not None:
                step = args[2]
            if not isinstance(step, int) or step < 1:
                raise ValueError("Step for islice() must be a positive integer or None.")
            for number, what in ((stop, "Stop argument"), (start, "Indices")):
                if number is not None and (not isinstance(number, int) or number < 0):
                    raise ValueError(f"{what} for islice() must be None or an integer: "
                                     "0 <= x <= sys.maxsize.")
            return sliced(iter(iterable), start, stop, step)

        def sliced(iterator, start, stop, step):
            position = 0
            while stop is None or start < stop:
                while position <= start:
                    for item in iterator:
                        break
                    else:
                        return
                    position += 1
                yield item
                start += step
            while position < stop:
                for item in iterator:
                    break
                else:
                    return
                position += 1

    elif name == "pairwise":

        def value(iterable):
            iterator = iter(iterable)
            for last in iterator:
                break
            for item in iterator:
                yield last, item
                last = item

    elif name == "starmap":

        def value(function, iterable):
            for args in iterable:
                yield function(*args)

    elif name == "takewhile":

        def value(predicate, iterable):
            for item in iterable:
                if not predicate(item):
                    return
                yield item

    elif name == "tee":

        def value(iterable, n=2):
            if n < 0:
                raise ValueError("n must be >= 0")
            iterator = iter(iterable)
            # A linked list of [item, next]; each iterator holds the last link that it has seen.
            link = []
            return tuple([linked(iterator, link) for _ in range(n)])

        def linked(iterator, link):
            while True:
                if not link:
                    for item in iterator:
                        break
                    else:
                        return
                    link.append(item)
                    link.append([])
                item, link = link
                yield item

    elif name == "zip_longest":

        def value(*iterables, fillvalue=None):
            iterators = [iter(iterable) for iterable in iterables]
            active = len(iterators)
            while active:
                row = []
                for i, iterator in enumerate(iterators):
                    item = fillvalue
                    if iterator is not None:
                        for item in iterator:
                            break
                        else:
                            iterators[i] = None
                            active -= 1
                            if not active:
                                return
                    row.append(item)
                yield tuple(row)

    elif name == "product":

        def value(*iterables, repeat=1):
            pools = [tuple(pool) for pool in iterables] * repeat
            return products(pools)

        def products(pools):
            n = len(pools)
            for pool in pools:
                if not pool:
                    return
            places = [0] * n
            row = [pool[0] for pool in pools]
            while True:
                yield tuple(row)
                i = n - 1
                while i >= 0:
                    places[i] += 1
                    if places[i] < len(pools[i]):
                        row[i] = pools[i][places[i]]
                        break
                    places[i] = 0
                    row[i] = pools[i][0]
                    i -= 1
                else:
                    return

    elif name == "permutations":

        def value(iterable, r=None):
            pool = tuple(iterable)
            if r is None:
                r = len(pool)
            if r < 0:
                raise ValueError("r must be non-negative")
            return permuted(pool, r)

        def permuted(pool, r):
            # Odometer: places[k] is the index of item k among the items that earlier places left.
            n = len(pool)
            if r > n:
                return
            order = list(range(n))
            left = [n - i for i in range(r)]
            yield tuple([pool[i] for i in order[:r]])
            while n:
                i = r - 1
                while i >= 0:
                    left[i] -= 1
                    if left[i]:
                        j = n - left[i]
                        order[i], order[j] = order[j], order[i]
                        yield tuple([pool[k] for k in order[:r]])
                        break
                    order.append(order.pop(i))
                    left[i] = n - i
                    i -= 1
                else:
                    return

    elif name in ("combinations", "combinations_with_replacement"):
        again = name != "combinations"

        def value(iterable, r):
            pool = tuple(iterable)
            if r < 0:
                raise ValueError("r must be non-negative")
            return combined(pool, r, again)

        def combined(pool, r, again):
            n = len(pool)
            if r > n and not again or r and not n:
                return
            order = [0] * r if again else list(range(r))
            while True:
                yield tuple([pool[i] for i in order])
                i = r - 1
                while i >= 0:
                    if order[i] != (n - 1 if again else i + n - r):
                        break
                    i -= 1
                else:
                    return
                place = order[i] + 1
                for j in range(i, r):
                    order[j] = place
                    if not again:
                        place += 1

    elif name == "__all__":
        return (
            "accumulate", "batched", "chain", "combinations", "combinations_with_replacement",
            "compress", "count", "cycle", "dropwhile", "filterfalse", "groupby", "islice",
            "pairwise", "permutations", "product", "repeat", "starmap", "takewhile", "tee",
            "zip_longest",
        )
    else:
        raise AttributeError(f"module 'itertools' has no attribute '{name}'")
    globals()[name] = value
    return value
