SYLLABLES = ("ba", "do", "ki", "lu")


def sentence(x):
    found = []
    for _ in range(20):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        word = SYLLABLES[x >> 16 & 3]
        if x >> 20 & 1:
            word += SYLLABLES[(x >> 22) % 3]
        found.append(word.upper() if x >> 28 & 1 else word)
    return " ".join(found) + "."


def main(seed):
    count = {}
    letters = 0
    for number in range(3):
        text = sentence(seed * 100 + number)
        for word in text.lower().replace(".", "").split():
            count[word] = count.get(word, 0) + 1
            letters += len(word)
    often = sorted(count.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = ["%s %d" % pair for pair in often[:4]]
    print(len(count), letters, ", ".join(shown))


main(threadIdx % 64 + 1)
