"""Text processing over the files of a littlefs image: analyse a week of a web server's logs.

    python examples/logs.py [-n 400] [--lines 30000] [logs.png]

The logs are files, one per day, in one image that all interpreters share; its memory exists once.
Each interpreter reads the lines that begin in its share of the bytes, parses them with a regular
expression, and prints its counts as JSON. `porter fs build` makes an image of any folder. The plot
needs matplotlib.
"""

import argparse
import json
import random
from collections import Counter

import numpy as np

from porter.fs import Image
from porter.run import Launch, open_device, run
from porter.run.filesystem import mounted
from porter.settings import load_config

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
PAGES = ("/", "/basket", "/pay", "/search", "/snakes")
BLOCK = 4096  # bytes of a block of the image

COUNT = r"""
import json, os, re

LINE = re.compile(r'^(\d+):\d+:\d+ [\d.]+ "GET ([^ ?]+)[^"]*" (\d+) (\d+)ms$')

names = sorted(os.listdir("/logs"))
sizes = [os.stat("/logs/" + name)[6] for name in names]
total = sum(sizes)
begin, end = total * threadIdx // numThreads, total * (threadIdx + 1) // numThreads

def lines(name, size, begin, end):
    '''The lines of a file whose first byte is one of begin to end - 1.'''
    with open("/logs/" + name) as file:
        at = max(0, begin - 1)
        file.seek(at)
        if begin > 0:
            at += len(file.readline())      # this line began before
        while at < min(end, size):
            line = file.readline()
            at += len(line)
            yield line.rstrip()

counts = {}
for day, (name, size) in enumerate(zip(names, sizes)):
    if begin < size and end > 0:
        for line in lines(name, size, begin, end):
            found = LINE.match(line)
            if found:
                hour, page, status, took = [found.group(i) for i in (1, 2, 3, 4)]
                key = "%d %s %s %s" % (day, hour, page, "failed" if status >= "500" else "well")
                number, time = counts.get(key, (0, 0))
                counts[key] = number + 1, time + int(took)
    begin, end = begin - size, end - size
print(json.dumps(counts))
"""


def logs(lines, seed=1):
    """Return a week's logs of about `lines` lines, with an outage: texts by file name."""
    dice = random.Random(seed)
    files = {}
    for day, name in enumerate(DAYS):
        text = []
        for minute in range(24 * 60):
            hour = minute / 60
            busy = 1.1 + np.sin((hour - 9) / 24 * 2 * np.pi) + (0.5 if day > 4 else 0)
            for _ in range(int(lines / 7 / 24 / 60 * busy + dice.random())):
                page = dice.choices(PAGES, (30, 12, 6, 25, 27))[0]
                out = day == 3 and 13.5 < hour < 17 and page in ("/pay", "/basket")
                status = 503 if dice.random() < (0.7 if out else 0.004) else 200
                took = int(dice.lognormvariate(5 if out else 3.4, 0.5))
                asked = page + (f"?q={dice.choice(PAGES)[1:]}" if page == "/search" else "")
                clock = f"{minute // 60:02}:{minute % 60:02}:{dice.randrange(60):02}"
                address = f"10.0.{dice.randrange(256)}.{dice.randrange(256)}"
                text.append(f'{clock} {address} "GET {asked}" {status} {took}ms\n')
        files[f"{day + 1}-{name}.log"] = "".join(text)
    return files


def image_of(files):
    """Return a littlefs image with these texts in the folder /logs."""
    size = sum(map(len, files.values()))
    image = Image.empty(size + size // 8 + 64 * BLOCK, BLOCK)
    image.make_folder("logs")
    for name, text in files.items():
        image.write(f"logs/{name}", text.encode())
    return image


def count(device, image, n):
    """Count with n interpreters; return the numbers of requests and their milliseconds.

    Both are Counters by (day, hour, page, failed).
    """
    launch = mounted(Launch(stdout=16 << 10, heap=64 << 10), device, image, n, shared=True)
    result = run(device, [COUNT], n, launch)
    result.raise_for_status()
    assert not result.stdout.cut.any()
    requests, times = Counter(), Counter()
    for i in range(n):
        for key, (number, milliseconds) in json.loads(result.stdout[i]).items():
            day, hour, page, ended = key.split()
            key = int(day), int(hour), page, ended == "failed"
            requests[key] += number
            times[key] += milliseconds
    return requests, times


def draw(requests, times, path):
    """Plot requests and failures by page, and the mean time of a request, by the hour."""
    from matplotlib.figure import Figure

    def table(counter, *ended):
        """pages x hours of the week"""
        found = np.zeros((len(PAGES), 7 * 24))
        for (day, hour, page, failed), number in counter.items():
            if failed in ended:
                found[PAGES.index(page), 24 * day + hour] += number
        return found

    every = table(requests, True, False)
    figure = Figure(figsize=(8.4, 4.6), layout="constrained")
    top, middle, low = figure.subplots(3, 1, sharex=True, height_ratios=[1, 1.1, 1])
    top.stackplot(np.arange(168) + 0.5, every, labels=PAGES, alpha=0.85)
    top.set(ylabel="requests\nan hour", ylim=0)
    top.legend(loc="upper left", ncols=5, fontsize=7, framealpha=0.9)
    top.set_ylim(0, 1.35 * every.sum(axis=0).max())
    share = 100 * table(requests, True) / np.maximum(every, 1)
    mesh = middle.pcolormesh(np.arange(169), range(6), share, cmap="Reds", vmin=0)
    middle.set_yticks(np.arange(5) + 0.5, PAGES, fontsize=8)
    middle.invert_yaxis()
    figure.colorbar(mesh, label="% that fail", pad=0.01)
    low.plot(
        np.arange(168) + 0.5,
        table(times, True, False).sum(axis=0) / np.maximum(every.sum(axis=0), 1),
    )
    low.set(ylabel="ms a request", ylim=0, xlim=(0, 168))
    low.set_xticks(range(12, 168, 24), DAYS)
    figure.savefig(path, dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=400, help="interpreters")
    parser.add_argument("--lines", type=int, default=30_000, help="of the logs, about")
    parser.add_argument("picture", nargs="?", default="logs.png")
    options = parser.parse_args()
    from porter.pipeline import build  # loads libclang, which only the making of a build needs

    config = load_config({})  # for a GPU if the machine has one
    device = open_device(build(config).folder, config.target)
    requests, times = count(device, image_of(logs(options.lines)), options.n)
    draw(requests, times, options.picture)
    failed = Counter()
    for (day, _, page, ended), number in requests.items():
        if ended:
            failed[DAYS[day], page] += number
    print(f"{requests.total()} requests, {failed.total()} failed")
    for (day, page), number in failed.most_common(2):
        print(f"{number} of them on {day}, {page}")


if __name__ == "__main__":
    main()
