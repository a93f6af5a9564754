"""`super()` in methods that are decorated themselves."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol

CLASSES = """
import numpy as np


class Base:
    def __init__(self, n, mu=1.0, **rest):
        self.n, self.mu, self.rest = n, float(mu), sorted(rest)

    def rule(self, x):
        return self.mu * x

    def total(self, n):
        return n if n < 1 else n + self.total(n - 1)

    @property
    def size(self):
        return self.n * 2

    @classmethod
    def named(cls, n):
        return cls.__name__, n

    def __len__(self):
        return self.n

class Left(Base):
    def rule(self, x):
        return super().rule(x) + 1

class Right(Base):
    def rule(self, x):
        return super().rule(x) * 2

class Sub(Left, Right):
    @jit
    def __init__(self, n, mu=1.0, lambd=3, **kwargs):
        super().__init__(n, mu, **kwargs)
        self.lambd = lambd

    @jit
    def rule(self, x):
        return super().rule(x) * np.tanh(self.lambd * x)

    @property
    @jit
    def size(self):
        return super().size + 1

    @classmethod
    @jit
    def named(cls, n):
        return super().named(n + 1)

    @jit
    def __len__(self):
        return super().__len__() + 1

    @jit
    def total(self, n):
        return super().total(n) + 1

    @jit
    def missing(self):
        return super().nothing

    @jit
    def new_self(self, other):
        self = other
        return super().size
"""


def used(folder: Path, name: str, jit: Any) -> Any:
    """What the last class of a module gives whose decorator is `jit`."""
    file = folder / f"{name}.py"
    file.write_text(CLASSES)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    module.__dict__["jit"] = jit
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return uses(module.__dict__["Sub"])


def uses(cls: Any) -> list[Any]:
    """What its methods give."""
    s, t = cls(3, 0.5, lambd=2, b=1, a=2), cls(4)
    out = [vars(s), vars(t), s.rule(2.0), s.rule(np.arange(3.0)).tolist(), s.size, cls.named(1), len(s), s.total(3)]
    out.append(s.new_self(t))
    with pytest.raises(AttributeError) as e:
        s.missing()
    return [*out, str(e.value)]


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.filterwarnings("error::soljit.FallbackWarning")
def test_super(strict: bool, tmp_path: Path) -> None:
    made = used(tmp_path, "decorated_methods", sol.jit(strict=strict, target="interpreter"))
    assert made == used(tmp_path, "plain_methods", lambda f: f)
