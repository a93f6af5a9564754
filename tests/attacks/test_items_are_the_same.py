"""Lists in lists and dicts that go through functions of Python are the same lists afterwards: what one name changes, all see."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracle import check, function

WAYS = {
    "iter": "r = next(iter(v))",
    "enumerate": "r = next(enumerate(v))[1]",
    "reversed": "r = next(reversed(v))",
    "sorted": "r = sorted(v)[0]",
    "max": "r = max(v)",
    "min by key": "r = min(v, key=len)",
    "list": "r = list(v)[0]",
    "filter": "r = list(filter(len, v))[0]",
    "filter None": "r = next(filter(None, v))",
    "map": "r = list(map(lambda q: q, v))[0]",
    "zip": "r = next(zip(v, v))[0]",
    "times": "w = v * 2; r = w[2]",
    "chain": "r = next(itertools.chain(v, v))",
    "deque": "r = collections.deque(v).popleft()",
    "heap": "heapq.heapify(v); r = v[0]",
    "smallest": "r = heapq.nsmallest(1, v)[0]",
    "reduce": "r = functools.reduce(lambda p, q: p, v)",
    "copy": "r = copy.copy(v)[0]",
    "dict of pairs": "d = dict(enumerate(v)); r = d[0]",
    "update by pairs": "d = {}; d.update([('a', v[0])]); r = d['a']",
    "dict or": "d = {'r': 1} | {'u': v[0]}; r = d['u']",
    "dict or nothing": "d = {'r': v[0]}; e = d | {}; r = e['r']",
    "from keys": "d = dict.fromkeys('ab', v[0]); r = d['a']",
    "get": "d = {}; r = d.get('a', v[0])",
    "values": "d = {'a': v[0]}; r = next(iter(d.values()))",
    "default": "r = next(iter([]), v[0])",
    "attribute": "o = types.SimpleNamespace(); o.a = v[0]; r = o.a",
    "islice": "r = list(itertools.islice(v, 1))[0]",
    "product": "r = next(itertools.product(v, [1]))[0]",
    "ordered": "r = collections.OrderedDict([('a', v[0])])['a']",
    "array of objects": "w = np.array([None, None], object); w[0] = v[0]; r = w[0]",
    "star": "_, *q = v; r = q[0]",
}
HEAD = "import collections, copy, functools, heapq, itertools, types\nimport numpy as np\n"


@pytest.mark.parametrize("changed", ["r.append(a)", "v[0].append(a); v[1].append(7)"])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_list_in_a_list(way: str, changed: str) -> None:
    source = f"{HEAD}def f(a):\n    v = [[1, 2], [3, 4]]\n    {way}\n    {changed}\n    return v, r\n"
    check(function(source, "f"), np.arange(3.0), or_refused=True, settings={"target": "interpreter"})


def test_a_list_in_a_dict() -> None:
    source = (
        "def f(a, n):\n    v = [a for i in range(n)]\n    d = {'r': a} | {'u': v}\n    v.append(a)\n    return d, v\n"
    )
    check(function(source), np.arange(3.0), 0, also=[(np.arange(3.0), 2)], settings={"target": "interpreter"})
