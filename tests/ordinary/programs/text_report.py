CSV = """date,city,temperature,rain
2024-03-01,Oslo,-2.5,0.0
2024-03-01,Rome,14.0,3.2
2024-03-02,Oslo,0.5,1.1
2024-03-02,Rome,15.5,0.0
2024-03-03,Oslo,1.0,4.8
2024-03-03,Rome,12.5,11.4
2024-03-03,Cairo,27.0,0.0
"""


def read(text):
    lines = text.strip().split("\n")
    names = lines[0].split(",")
    for line in lines[1:]:
        row = dict(zip(names, line.split(",")))
        for name in ("temperature", "rain"):
            row[name] = float(row[name])
        yield row


def mean(numbers):
    return sum(numbers) / len(numbers)


def deviation(numbers):
    middle = mean(numbers)
    return (sum((x - middle) ** 2 for x in numbers) / len(numbers)) ** 0.5


def table(head, rows):
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
    print(rule)
    for row in [head] + rows:
        print("| " + " | ".join("%-*s" % (w, cell) for w, cell in zip(widths, row)) + " |")
    print(rule)


rows = list(read(CSV))
cities = sorted({row["city"] for row in rows})
report = []
for city in cities:
    warm = [row["temperature"] for row in rows if row["city"] == city]
    rain = sum(row["rain"] for row in rows if row["city"] == city)
    report.append([city, len(warm), "%.2f" % mean(warm), "%.3f" % deviation(warm), "%.1f" % rain])
table(["city", "days", "mean", "deviation", "rain"], report)
wettest = max(rows, key=lambda row: row["rain"])
print("wettest: {date} in {city} with {rain:.1f} mm".format(**wettest))
