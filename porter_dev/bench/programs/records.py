import json

TOWNS = ("Oslo", "Lima", "Cairo", "Kyoto", "Quito")


def orders(seed):
    x = seed
    lines = []
    for number in range(10):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        town, price, count = TOWNS[(x >> 8) % 5], (x >> 12) % 900 + 100, (x >> 20) % 4
        paid = "true" if x >> 24 & 1 else "false"
        lines.append(
            '{"id": %d, "town": "%s", "items": [%d, %d], "paid": %s, "note": null}'
            % (number, town, price, count, paid)
        )
    return "[" + ", ".join(lines) + "]"


def main(seed):
    records = json.loads(orders(seed))
    totals = {}
    for record in records:
        price, count = record["items"]
        if not record["paid"]:
            record["note"] = "owes %d" % (price * count)
        town = record["town"]
        totals[town] = totals.get(town, 0) + price * count
    text = json.dumps(records)
    print(len(text), json.dumps([[town, totals[town]] for town in sorted(totals)]))


main(threadIdx % 64 + 1)
