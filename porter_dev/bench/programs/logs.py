import re

LINE = re.compile(r"^(\d+):(\d+) (INFO|WARN|ERROR) ([a-z]+)\[(\d+)\]: (.*)$")
SPENT = re.compile(r"took (\d+) ?ms")
PARTS = ("auth", "store", "web")
TEXTS = ("request took %d ms", "%d items", "took %dms, retried", "no answer from 10.0.0.%d")


def line(x):
    time = "%d:%02d" % ((x >> 4) % 24, (x >> 9) % 60)
    level = ("INFO", "WARN", "ERROR", "DEBUG")[x >> 15 & 3]
    text = TEXTS[x >> 17 & 3] % ((x >> 19) % 250)
    return "%s %s %s[%d]: %s" % (time, level, PARTS[(x >> 21) % 3], (x >> 8) % 1000, text)


def main(seed):
    x = seed
    levels = {}
    spent = odd = 0
    for _ in range(10):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        match = LINE.match(line(x))
        if match is None:
            odd += 1
            continue
        key = (match.group(3), match.group(4))
        levels[key] = levels.get(key, 0) + 1
        took = SPENT.search(match.group(6))
        if took:
            spent += int(took.group(1))
    print(odd, spent, sorted(levels.items())[:3])


main(threadIdx % 64 + 1)
