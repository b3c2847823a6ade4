from heapq import heappop, heappush


class Shop:
    def __init__(self, seed, clerks):
        self.x = seed
        self.idle = clerks
        self.waiting = []
        self.events = []
        self.served = 0
        self.waited = 0

    def below(self, limit):
        self.x = (self.x * 1103515245 + 12345) & 0x7FFFFFFF
        return (self.x >> 16) % limit

    def plan(self, time, kind, customer):
        heappush(self.events, (time, kind, customer))

    def serve(self, now):
        while self.idle and self.waiting:
            came, customer = self.waiting.pop(0)
            self.idle -= 1
            self.waited += now - came
            self.plan(now + 3 + self.below(12), "leaves", customer)

    def run(self, customers):
        self.plan(0, "comes", 0)
        now = 0
        while self.events:
            now, kind, customer = heappop(self.events)
            if kind == "comes":
                self.waiting.append((now, customer))
                if customer + 1 < customers:
                    self.plan(now + self.below(6), "comes", customer + 1)
            else:
                self.idle += 1
                self.served += 1
            self.serve(now)
        return now


shop = Shop(threadIdx % 64 + 1, 2)
end = shop.run(32)
print(end, shop.served, shop.waited)
