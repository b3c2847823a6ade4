TEXT = """
It was the best of times, it was the worst of times, it was the age of wisdom,
it was the age of foolishness, it was the epoch of belief, it was the epoch of
incredulity, it was the season of Light, it was the season of Darkness, it was
the spring of hope, it was the winter of despair, we had everything before us,
we had nothing before us, we were all going direct to Heaven, we were all going
direct the other way.
"""


def words(text):
    for line in text.split("\n"):
        for word in line.split():
            word = word.strip(".,;:!?").lower()
            if word:
                yield word


def count(items):
    found = {}
    for item in items:
        found[item] = found.get(item, 0) + 1
    return found


counts = count(words(TEXT))
ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
for word, times in ranked[:10]:
    print("%-10s %3d %s" % (word, times, "*" * times))
print(len(counts), "different words,", sum(counts.values()), "in all")
by_length = {}
for word in counts:
    by_length.setdefault(len(word), []).append(word)
for length in sorted(by_length):
    print(length, " ".join(sorted(by_length[length])))
