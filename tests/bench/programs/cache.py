# A decorator that remembers the results of the last calls, by the time of their last use.
def remembering(room):
    def wrap(function):
        kept = {}
        times = [0, 0]

        def inner(*key):
            times[0] += 1
            if key in kept:
                times[1] += 1
                kept[key][1] = times[0]
                return kept[key][0]
            result = function(*key)
            if len(kept) >= room:
                oldest = min(kept, key=lambda k: kept[k][1])
                kept.pop(oldest)
            kept[key] = [result, times[0]]
            return result

        inner_times.append(times)
        return inner

    return wrap


inner_times = []


@remembering(9)
def ways(rows, columns):
    if rows == 0 or columns == 0:
        return 1
    return ways(rows - 1, columns) + ways(rows, columns - 1)


n = threadIdx % 64
print(ways(n % 8 // 2 + 2, n // 8 % 4 + 2), inner_times)
