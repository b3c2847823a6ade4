PEOPLE = {
    1: ("Ada", 36, ("London", "UK")),
    2: ("Grace", 85, ("New York", "US")),
    3: ("Alan", 41, ("London", "UK")),
    4: ("Edsger", 72, ("Rotterdam", "NL")),
    5: ("Barbara", 84, ("Los Angeles", "US")),
    6: ("Guido", 68, ("Haarlem", "NL")),
}


def group_by(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


grid = {}
for x in range(12):
    for y in range(12):
        grid[x, y] = x * y % 7
print(len(grid), sum(grid.values()), grid[5, 6], grid.get((12, 0), "outside"))
neighbours = {
    at: sum(grid.get((at[0] + dx, at[1] + dy), 0) for dx in (-1, 0, 1) for dy in (-1, 0, 1))
    for at in grid
}
best = max(neighbours.items(), key=lambda item: (item[1], item[0]))
print(best, min(neighbours.values()))
for country, rows in sorted(group_by(PEOPLE.values(), lambda row: row[2][1]).items()):
    ages = [age for _, age, _ in rows]
    print(country, sorted(name for name, _, _ in rows), sum(ages) / len(ages))
inverted = {(name, town): key for key, (name, _, (town, _)) in PEOPLE.items()}
print(inverted["Alan", "London"], ("Alan", "Paris") in inverted)
del PEOPLE[3]
PEOPLE.update({7: ("Tim", 60, None)})
print(sorted(PEOPLE), PEOPLE.pop(7), len(PEOPLE))
