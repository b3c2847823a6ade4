import re

LOG = """
2024-01-05 10:00:01 INFO  server started on port 8080
2024-01-05 10:00:09 WARN  slow answer: 1532 ms for /index.html
2024-01-05 10:01:44 ERROR cannot open /data/cache.bin: errno 13
2024-01-06 23:59:59 INFO  user alice@example.org logged in
2024-01-07 00:00:00 ERROR cannot open /data/users.db: errno 2
"""

ENTRY = re.compile(r"^(\d+)-(\d+)-(\d+) ([\d:]+) ([A-Z]+) +(.*)$")


def parse(text):
    for line in text.strip().split("\n"):
        match = ENTRY.match(line)
        if match:
            year, month, day, clock, level, message = (match.group(i) for i in range(1, 7))
            yield (int(year), int(month), int(day)), clock, level, message


entries = list(parse(LOG))
print(len(entries), entries[0])
levels = {}
for _, _, level, message in entries:
    levels.setdefault(level, []).append(message)
for level in sorted(levels):
    print(level, len(levels[level]))
for message in levels["ERROR"]:
    found = re.search(r"open ([^:]+): errno (\d+)", message)
    print(found.group(1), int(found.group(2)))
print(re.sub(r"[aeiou]", "_", "regular expressions"))
print(re.compile(r"[ ,;]+").split("one, two;three  four"))
print(re.search(r"(\w+)@(\w+)\.(\w+)", LOG).group(0))
print(re.match("a*b", "aaac"), bool(re.match("a*c", "aaac")))
print(re.sub(r"(\d+) ms", lambda m: "%.1f s" % (int(m.group(1)) / 1000), levels["WARN"][0]))
