"""Windows: the elements that a memlet walks, as C++ spells them."""

from __future__ import annotations

from soljit.base.records import dataclass
from soljit.codegen.spelling.arithmetic import product, total
from soljit.codegen.writing.text import PRODUCT, SUM, Text
from soljit.ir.core.types import DType

ZERO, ONE = Text("0"), Text("1")


@dataclass(frozen=True)
class Window:
    """The elements a memlet walks: first element, lengths, strides in elements, and which dimension each comes from."""

    dtype: DType
    pointer: Text
    offset: Text
    lengths: tuple[Text, ...]
    strides: tuple[Text, ...]

    @property
    def first(self) -> Text:
        """Address of the first element."""
        return (
            self.pointer
            if self.offset.text == "0"
            else Text(f"{self.pointer.at(SUM)} + {self.offset.at(PRODUCT)}", SUM)
        )

    def at(self, subscripts: list[Text]) -> Text:
        """The element at these subscripts."""
        where = self.offset
        for i, s in zip(subscripts, self.strides, strict=True):
            where = total(where, product(i, s))
        return Text(f"{self.pointer.at(5)}[{where}]")
