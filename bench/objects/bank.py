"""Dataclasses as arguments: accounts in a list, transfers between them."""

from dataclasses import dataclass

PRESETS = {"tiny": {"n": 5}, "S": {"n": 200}, "M": {"n": 10_000}}
CHANGES = ("accounts",)


@dataclass
class Account:
    owner: str
    balance: float
    refused: int = 0

    def pay(self, other, amount):
        if amount > self.balance:
            self.refused += 1
            return False
        self.balance -= amount
        other.balance += amount
        return True


def initialize(n):
    return {
        "accounts": [Account(f"client {k}", 100.0 + k) for k in range(20)],
        "orders": [(k * 7 % 20, k * 3 % 20, float(k % 50)) for k in range(n)],
    }


def bank(accounts, orders):
    done = 0
    for source, target, amount in orders:
        if accounts[source].pay(accounts[target], amount):
            done += 1
    return done
