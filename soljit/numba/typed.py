"""`typed.List` and `typed.Dict`: Python's own lists and dicts, which soljit compiles as they are."""

from __future__ import annotations

from types import FunctionType
from typing import Any


class Maker:
    """Something that is called like a class and gives a list or a dict; `python` is what compiled code calls in its place."""

    def __init__(self, cls: type, python: Any) -> None:
        assert isinstance(python, FunctionType)
        self.cls, self.python, self.__name__ = cls, python, python.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.python(*args, **kwargs)

    def __getitem__(self, parts: Any) -> Maker:
        """`List[int]` in an annotation."""
        return self

    def __or__(self, other: Any) -> Maker:
        """`List | None` in an annotation."""
        return self

    __ror__ = __or__

    def __instancecheck__(self, value: object) -> bool:
        return isinstance(value, self.cls)

    def __repr__(self) -> str:
        return f"<soljit.numba.typed.{self.__name__}>"


class ListMaker(Maker):
    """`typed.List`."""

    @staticmethod
    def empty_list(item_type: Any = None, allocated: int = 0) -> list[Any]:
        """An empty list."""
        return []


class DictMaker(Maker):
    """`typed.Dict`."""

    @staticmethod
    def empty(key_type: Any = None, value_type: Any = None, n_keys: int = 0) -> dict[Any, Any]:
        """An empty dict."""
        return {}


def _list(items: Any = (), lsttype: Any = None) -> list[Any]:
    return [*items]


def _dict(items: Any = (), dcttype: Any = None) -> dict[Any, Any]:
    return dict(items)


List = ListMaker(list, _list)
Dict = DictMaker(dict, _dict)
