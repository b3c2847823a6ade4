class InsufficientFunds(Exception):
    def __init__(self, wanted, available):
        super().__init__("wanted %d, available %d" % (wanted, available))
        self.missing = wanted - available


class Account:
    opened = 0

    def __init__(self, owner, balance=0):
        self.owner = owner
        self._balance = balance
        self.history = []
        Account.opened += 1

    @property
    def balance(self):
        return self._balance

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("a deposit is positive")
        self._balance += amount
        self.history.append(("deposit", amount))

    def withdraw(self, amount):
        if amount > self._balance:
            raise InsufficientFunds(amount, self._balance)
        self._balance -= amount
        self.history.append(("withdraw", amount))

    def __repr__(self):
        return "%s(%r, %d)" % (type(self).__name__, self.owner, self._balance)


class Savings(Account):
    def __init__(self, owner, balance=0, percent=3):
        super().__init__(owner, balance)
        self.percent = percent

    def pay_interest(self):
        self.deposit(self.balance * self.percent // 100)


ann, bob = Account("Ann", 100), Savings("Bob", 1000)
for action in (lambda: ann.withdraw(30), lambda: ann.withdraw(500), lambda: bob.deposit(-1)):
    try:
        action()
        print("done", ann)
    except InsufficientFunds as error:
        print("refused:", error, "missing", error.missing)
    except ValueError as error:
        print("wrong:", error)
for year in range(5):
    bob.pay_interest()
print(bob, bob.history, Account.opened)
print(isinstance(bob, Account), isinstance(ann, Savings))
