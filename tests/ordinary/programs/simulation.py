class Random:
    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self.state >> 33) % n

    def shuffle(self, items):
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]


class Customer:
    def __init__(self, number, arrives, needs):
        self.number, self.arrives, self.needs = number, arrives, needs
        self.served = None

    @property
    def waited(self):
        return self.served - self.arrives


def simulate(random, tellers, minutes):
    queue, done, busy = [], [], [0] * tellers
    for now in range(minutes):
        if random.below(3) == 0:
            queue.append(Customer(len(queue) + len(done), now, 2 + random.below(6)))
        for i in range(tellers):
            if busy[i] <= now and queue:
                customer = queue.pop(0)
                customer.served = now
                busy[i] = now + customer.needs
                done.append(customer)
    return done, queue


random = Random(42)
deck = ["%s%s" % (rank, suit) for suit in "SHDC" for rank in "A23456789TJQK"]
random.shuffle(deck)
print(" ".join(deck[:13]), len(set(deck)))
for tellers in (1, 2):
    done, left = simulate(Random(7), tellers, 240)
    waits = [customer.waited for customer in done]
    print(tellers, len(done), len(left), max(waits), sum(waits) // len(waits))
rolls = [random.below(6) + random.below(6) + 2 for _ in range(400)]
for total in range(2, 13):
    print("%2d %s" % (total, "#" * (rolls.count(total) // 4)))
