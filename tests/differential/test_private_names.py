"""Names with two leading underscores in the bodies of classes."""

# The classes are in this file as users write them.
from __future__ import annotations

from typing import Any

from tests.oracle import check


class Account:
    __most = 5

    def __init__(self, x: int) -> None:
        self.__held = x
        self.__kept__ = 1

    def __twice(self) -> int:
        return self.__held * 2

    def pay(self, n: int) -> int:
        __sum = 3
        for k in range(n):
            self.__held += k
        return self.__twice() + __sum + self.__most + Account.__most + self.__kept__


class _Shared(Account):
    def __init__(self, x: int) -> None:
        super().__init__(x)
        self.__held = x + 100

    def both(self) -> Any:
        return self.pay(2), self.__held, self._Account__held  # type: ignore[attr-defined]


def opened(n: int) -> Any:
    a, b = Account(n), _Shared(n)
    return a.pay(n), b.both(), a._Account__held, hasattr(a, "__held")  # type: ignore[attr-defined]


def given(a: Account, n: int) -> Any:
    return a.pay(n), a.pay(1)


def test_private_names() -> None:
    for settings in ({}, {"target": "interpreter"}):
        check(opened, 3, settings=settings)
        check(given, Account(4), 3, settings=settings)
        check(given, _Shared(4), 3, settings=settings)
