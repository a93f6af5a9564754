"""What the returns of an entry function give, gathered while it is lowered: leaves, and the alternatives made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from soljit.base.records import dataclass
from soljit.ir.core.nodes import Result
from soljit.ir.core.types import i64


@dataclass
class Returned:
    """leaves: of all returns. trees: the different structures made of them. tag: the leaf that tells which one, if several."""

    leaves: tuple[Result, ...] = ()
    trees: tuple[Any, ...] = ()  # JSON-able, see nodes.Program
    tag: int | None = None

    @property
    def structure(self) -> Any:
        """`Program.structure`."""
        if self.tag is None:
            return self.trees[0] if self.trees else None
        return {"either": [self.tag, list(self.trees)]}

    def places(self, wanted: Sequence[Result]) -> list[int]:
        """Numbers of leaves that serve for these: those of an earlier return where they fit, else new ones."""
        out: list[int] = []
        for w in wanted:
            if w.itself is not None:  # its partner's number is part of it
                out.append(len(self.leaves))
                self.leaves += (w,)
                continue
            fitting = (k for k, x in enumerate(self.leaves) if k not in out and k != self.tag and _fits(x, w))
            k = next(fitting, len(self.leaves))
            if k == len(self.leaves):
                self.leaves += (w,)
            elif self.leaves[k].base is None:
                self.leaves = (*self.leaves[:k], replace(self.leaves[k], base=w.base), *self.leaves[k + 1 :])
            out.append(k)
        leaves = list(self.leaves)
        for k, w in zip(out, wanted):
            if w.itself is not None:
                leaves[k] = replace(w, itself=out[w.itself])
        self.leaves = tuple(leaves)
        return out

    def alternative(self, tree: Any) -> int:
        """The number of a structure among the alternatives."""
        for k, x in enumerate(self.trees):
            if _equal(tree, x):
                return k
        self.trees += (tree,)
        return len(self.trees) - 1

    def tag_leaf(self) -> int:
        """The leaf that tells which alternative was returned; 0 where a return does not give it."""
        if self.tag is None:
            self.tag = len(self.leaves)
            self.leaves += (Result("python", i64),)
        return self.tag


def _fits(a: Result, b: Result) -> bool:
    return replace(a, base=None) == replace(b, base=None)


def _equal(a: Any, b: Any) -> bool:
    """Tell whether two structures are the same. 1, 1.0 and True are different constants."""
    return repr(a) == repr(b)
