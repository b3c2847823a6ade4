def word(seed, length):
    x = seed
    letters = []
    for _ in range(length):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        letters.append("abcd"[x >> 16 & 3])
    return "".join(letters)


def distance(one, other):
    above = list(range(len(other) + 1))
    for i, letter in enumerate(one):
        row = [i + 1]
        for j, against in enumerate(other):
            if letter == against:
                row.append(above[j])
            else:
                row.append(1 + min(above[j], above[j + 1], row[j]))
        above = row
    return above[-1]


def main(seed):
    one, other = word(seed, 20), word(seed * 31, 24)
    print(one, other, distance(one, other))


main(threadIdx % 64 + 1)
