# Words that are made of the same letters.
LETTERS = "aeinrst"


def words(n):
    for k in range(14):
        n = (n * 75 + 74) % 65537
        yield LETTERS[n % 7] + LETTERS[n // 7 % 7] + ("" if n & 64 else LETTERS[n // 49 % 7])


groups = {}
for word in words(threadIdx % 64 + 5):
    key = "".join(sorted(word))
    group = groups.get(key, "")
    if word not in group.split():
        groups[key] = group + " " + word
largest = max([len(group) for group in groups.values()])
shown = sorted([group.strip() for group in groups.values() if len(group) == largest])
print(len(groups), largest, shown[:2])
