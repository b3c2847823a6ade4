# Continues after a MemoryError at any place.
kept = []


def step(i):
    try:
        kept.append([i] * 8)
    except MemoryError:
        return False
    finally:
        kept.append(i)
    return True


print(sum(step(i) for i in range(12)) <= 12)
