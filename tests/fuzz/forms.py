"""What expressions and statements look like: templates with holes, which `scope.py` fills.

Expressions: {x} array, {v} vector, {M} matrix, {m} mask, {i} indices, {s} number, {c} condition, {k} axis, {d} dtype.
Variables (one for the whole template): {A} {B} any array, {V} {W} vectors, {Q} a matrix, {N} an integer, {S} a number.
Literals: {n} small integer, {o} arithmetic, {g} in-place arithmetic, {q} comparison, {l} a slice, {e} element of {A}.
"""

from __future__ import annotations

ARITHMETIC = ["+", "-", "*", "+", "-", "*", "/"]
IN_PLACE = ["+=", "-=", "*=", "+=", "/=", "//=", "%="]
COMPARE = ["<", "<=", ">", ">=", "==", "!="]
SLICES = [":", "1:", ":-1", "1:-1", "::2", "::-1", "2:", ":-2", "1::2", "-3:", "::-2", ":3", "-2::-1", "{N}:", ":{N}"]
DTYPES = ["np.float32", "np.float64", "np.int32", "np.int64", "np.uint8", "np.complex128", "bool", "int", "float"]
DTYPES += ["'f4'", "np.int8", "np.uint16", "np.float16", "np.complex64", "complex", "{A}.dtype"]

ARRAYS = """
({x} {o} {x})
({x} {o} {x})
({x} {o} {x})
({x} {o} {x})
({x} {o} {x})
({x} {o} {x})
({x} {o} {s})
({x} {o} {s})
({x} {o} {s})
({s} {o} {x})
({x} // {s})
({x} % {s})
({x} ** {n})
{x} ** 2
(-{x})
(~{m})
({m} & {m})
({m} | {m})
({m} ^ {m})
({x} & {n})
({x} | {x})
({x} << 1)
({x} >> {n})
{m}
{m}
np.abs({x})
np.sqrt(np.abs({x}))
np.floor({x})
np.ceil({x})
np.round({x})
np.round({x}, 1)
np.rint({x})
np.trunc({x})
np.square({x})
np.sign({x})
np.negative({x})
1.0 / ({x} + 2)
np.exp(-np.abs({x}))
np.sin({x})
np.tanh({x})
np.log1p(np.abs({x}))
np.maximum({x}, {x})
np.minimum({x}, {s})
np.fmax({x}, {s})
np.clip({x}, -1, 2)
np.clip({x}, 0, {s})
np.where({m}, {x}, {x})
np.where({m}, {x}, {s})
np.where({m}, {s}, {x})
np.where({m}, {n}, 0)
np.hypot({x}, {x})
np.arctan2({x}, {x})
np.copysign({x}, {x})
np.divmod({x}, 3)[{b}]
np.isnan({x})
np.isfinite({x})
np.logical_and({m}, {m})
np.logical_not({x})
np.real({x})
{x}.imag
{x}.conj()
{A}[{l}]
{A}[{l}]
{A}[{l}]
{V}[{l}][{l}]
{Q}[{l}, {l}]
{Q}[{l}, {n}]
{Q}[{n}]
{Q}[:, None, {n}]
{A}[..., {n}]
{x}[{l}]
{V}[:, None]
{V}[None, :]
{V}[:, np.newaxis] * {W}
{V}[:, None] {o} {W}[None, :]
{Q} {o} {V}[:, None]
{Q} {o} {V}
{Q} @ {v}
{Q} @ {Q}.T
{v} @ {Q}
np.dot({Q}, {v})
np.outer({v}, {v})
{x}.T
{x}.T
{x}.copy()
{x}.ravel()
{x}.reshape(-1)
{x}.reshape(-1, 1)
{V}.reshape(2, -1)
{Q}.reshape(-1)[{l}]
{x}.flatten()
np.transpose({x})
np.swapaxes({A}, 0, -1)
np.ascontiguousarray({x})
np.roll({x}, 1)
np.roll({x}, {n}, axis=0)
np.flip({x}, 0)
np.repeat({x}, 2)
np.tile({v}, 2)
np.concatenate(({v}, {v}))
np.concatenate([{x}, {x}], axis=0)
np.stack([{x}, {x}])
np.hstack(({v}, {v}))
np.vstack(({v}, {v}))
np.append({v}, {s})
np.pad({v}, 1)
np.pad({x}, 1, mode='edge')
np.diff({x})
np.cumsum({x})
np.cumsum({x}, axis=0)
np.cumprod({v})
np.sort({x})
np.argsort({v}, kind='stable')
np.unique({x})
{V}[{m}]
{A}[{A} {q} {s}]
{A}[{A} {q} {s}]
{V}[{i}]
{V}[{i}]
{Q}[{i}]
{Q}[:, {i}]
{Q}[{i}, {n}]
np.take({v}, {i})
{x}[np.argsort({v})]
np.nonzero({m})[0]
np.flatnonzero({m})
np.searchsorted(np.sort({v}), {v})
np.bincount(np.abs({i}) % 40)
np.interp({v}, np.arange(len({V})), {V})
np.gradient({v})
np.convolve({v}, [1, 2, 1], mode='same')
np.histogram({v}, bins=3)[0]
np.zeros(len({A}))
np.zeros({A}.shape, dtype={d})
np.zeros_like({x})
np.zeros_like({x}, dtype={d})
np.ones_like({x})
np.full_like({x}, {s})
np.full(len({A}), {s})
np.zeros_like({A}).T
np.arange(len({A}))
np.arange({n}, len({A}))
np.arange(0, 2, 0.5)
np.linspace(0, 1, len({A}))
np.linspace(0.0, {s}, 5)
np.eye(len({A}))
np.diag({x})
np.tril({Q})
np.array([{s}, {s}])
np.array([{s}, {s}, {s}], dtype={d})
np.array([[{s}, 1], [2, {s}]])
np.array([{s} for q in range({n})])
np.array([q * {s} for q in {V}])
np.asarray({x}, dtype={d})
{x}.astype({d})
{x}.astype({d})
{x}.sum(axis={k})
{x}.sum(axis=0, keepdims=True)
np.sum({x}, axis={k}, dtype={d})
{x}.max(axis={k})
np.min({x}, axis={k}, keepdims=True)
{x}.mean(axis={k})
np.mean({x}, axis={k}, keepdims=True)
{x}.prod(axis={k})
{x}.any(axis={k})
np.all({m}, axis={k})
{x}.argmax(axis={k})
np.argmin({x}, axis={k})
np.std({x}, axis={k})
np.count_nonzero({m}, axis={k})
np.median({x}, axis={k})
np.add.accumulate({v})
np.add.reduce({x}, axis={k})
np.maximum.accumulate({v})
np.subtract.outer({v}, {v})
np.multiply({x}, {x}, dtype={d})
np.add({x}, {s}, where={m}, out=np.zeros({A}.shape))
np.einsum('ij,j->i', {Q}, {V})
np.broadcast_to({v}, (2, len({V})))
np.squeeze({x})
np.expand_dims({x}, 0)
np.atleast_2d({x})
np.moveaxis({A}, 0, -1)
np.meshgrid({v}, {v})[{b}]
np.nan_to_num({x})
np.isclose({x}, {x})
np.select([{m}, {m}], [{x}, {x}], {s})
np.digitize({v}, [0, 1, 2])
np.delete({v}, 0)
np.trapezoid({x})
np.cross({v}[:3], {v}[:3])
np.fft.fft({v}).real
np.kron({v}[:2], {v})
np.apply_along_axis(np.sum, 0, {Q})
np.array({x})
np.copy({x})
h0({x}, {s})
h0({x}, {s})
h0({x}, {x})
"""

NUMBERS = """
({s} {o} {s})
({s} {o} {s})
({s} {o} {s})
({s} // {s})
({s} % {s})
{s} ** {n}
({N} & {n})
({N} >> 1)
-{s}
abs({s})
min({s}, {s})
max({s}, {s}, {n})
({s} if {c} else {s})
float({s})
int({s})
bool({s})
round({s})
round({s}, 1)
complex({s}, 1)
divmod({s}, {s})[{b}]
np.sqrt(abs({s}))
np.float32({s})
np.int32({n})
np.float64({s})
np.uint8({n})
math.sqrt(abs({s}))
math.floor({s})
np.floor({s})
np.abs({s})
np.maximum({s}, {s})
{e}
{e}
{e}
{e}
{e} {o} {s}
({e} {o} {e})
len({A})
{A}.shape[0]
{A}.shape[-1]
{A}.size
{A}.ndim
{x}.sum()
np.sum({x})
{x}.max()
{x}.min()
np.sum({m})
{x}.mean()
{x}.any()
({m}).all()
np.dot({v}, {v})
{v} @ {v}
{x}.argmax()
np.argmin({x})
np.count_nonzero({x})
np.prod({v})
np.std({x})
np.var({x})
np.median({x})
np.ptp({v})
np.linalg.norm({v})
np.trace({Q})
np.max(np.abs({x}))
sum({v})
max({v})
min(len({V}), {n})
sum([q * q for q in {V}])
sum(q for q in {V} if q > {s})
len([q for q in {V} if q {q} {s}])
any(q > {s} for q in {V})
all([q > {s} for q in {V}])
np.nansum({x})
np.trapezoid({v})
np.array_equal({x}, {x})
np.allclose({x}, {x})
{A}.itemsize
{x}.item(0)
float({e})
int({N})
h0({s}, {s})
(lambda q: q * {s})({s})
"""

CONDITIONS = """
{S} {q} {s}
{S} {q} {s}
{e} {q} {s}
{e} {q} {s}
{e} {q} {e}
len({A}) {q} {n}
{x}.max() {q} {s}
{x}.sum() > {s}
{x}.any()
({m}).all()
{N} % 2 == 0
{s} {q} {s} {q} {s}
{S} {q} {s} and {e} {q} {s}
{S} {q} {s} or {e} {q} {s}
not {S}
not ({e} {q} {s})
{S}
{A}.size
{A}.ndim == 2
isinstance({S}, float)
{n} in ({s}, {s})
"""

STORES = """
{A}[{l}] {g} {x}
{A}[{l}] = {x}
{A}[{l}] = {x}
{A}[{l}] = {s}
{A}[{l}] {g} {s}
{A}[{l}] = {A}[{l}]
{A}[{l}] = {A}[{l}] {o} {A}[{l}]
{V}[1:] = {V}[:-1]
{V}[1:] += {V}[:-1]
{V}[:-1] {g} {V}[1:]
{V}[1:-1] = ({W}[:-2] + {W}[1:-1] + {W}[2:]) / 3
{V}[::-1] = {V}
{Q}[1:-1, 1:-1] = 0.25 * ({Q}[:-2, 1:-1] + {Q}[2:, 1:-1] + {Q}[1:-1, :-2] + {Q}[1:-1, 2:])
{Q}[{l}, {l}] = {s}
{Q}[{l}, {l}] {g} {Q}[{l}, {l}]
{Q}[{l}, {n}] = {v}
{Q}[{n}] = {v}
{Q}[{n}, {l}] {g} {v}
{Q}[{l}] = {Q}[{l}]
{Q}[:] = {Q}.T
{Q} += {Q}.T
{Q} -= {V}[:, None]
{Q} {g} {v}
{A}[...] = {s}
{A}[:] = {x}
{A}[..., {n}] {g} {s}
{A}.flat[{n}] = {s}
{A}[{A} {q} {s}] = {s}
{A}[{A} {q} {s}] {g} {s}
{A}[{A} {q} {s}] = {A}[{A} {q} {s}] {o} {s}
{V}[{m}] = {s}
{V}[{m}] {g} {s}
{V}[{i}] = {v}
{V}[{i}] += {v}
{V}[{i}] = {s}
{V}[{i}] {g} {s}
{Q}[{i}] = {s}
{Q}[:, {i}] += {s}
{Q}[{i}, {i}] = {v}
np.add.at({V}, {i}, {s})
np.add.at({V}, np.ravel({i}), {v})
np.add({x}, {x}, out={A})
np.multiply({A}, {s}, out={A})
np.maximum({A}, {s}, out={A})
np.subtract({V}[1:], {V}[:-1], out={V}[1:])
np.sqrt(np.abs({A}), out={A})
np.copyto({A}, {x})
np.copyto({A}, {s}, where={m})
np.putmask({A}, {m}, {s})
np.clip({A}, -1, 1, out={A})
np.cumsum({V}, out={V})
np.fill_diagonal({Q}, {s})
{A}.sort()
{A}.fill({s})
{A} {g} {x}
{A} {g} {x}
{A} {g} {x}
{A} {g} {s}
{A} {g} {s}
{A} **= {n}
{A} &= {x}
{A} ^= {n}
{e} = {s}
{e} {g} {s}
{e} {g} {s}
{e} = {e}
{e}, {e} = {e}, {e}
{V}[0], {V}[-1] = {V}[-1], {V}[0]
{S} {g} {s}
{S} {g} {s}
{S} {g} {e}
{A}, {B} = {B}, {A}
print({S})
print({s}, {e})
assert {c}, 'wrong'
assert {A}.ndim < 4
"""

IN_LOOP = """
{V}[{I}] = {V}[{I} - 1] {o} {s}
{V}[{I}] {g} {V}[{I} - 1]
{V}[{I}] = {W}[{I}] {o} {V}[{I}]
{V}[{I}] = {W}[{I} - 1] + {W}[{I} + 1]
{V}[{I}] {g} {s}
{V}[{I}] {g} {I}
{V}[-{I}] = {s}
{V}[{I} // 2] += {W}[{I}]
{V}[{I}:] {g} {s}
{V}[:{I}] = {W}[{I}]
{V}[{I}] = {W}[:{I}].sum()
{V}[{I}] = {Q}[{I}] @ {W}
{V}[{I}] = {Q}[:, {I}].max()
{V}[{I}] = {s} if {W}[{I}] {q} {s} else {I}
{V}[int(abs({W}[{I}])) % len({V})] += 1
{Q}[{I}] = {v}
{Q}[{I}] {g} {s}
{Q}[{I}] -= {Q}[{I} - 1]
{Q}[:, {I}] {g} {V}
{Q}[{I}, {I}] = {s}
{Q}[{I}, 1:] += {Q}[{I}, :-1]
{Q}[{I}, {J}] = {Q}[{J}, {I}] {o} {s}
{Q}[{I}, {J}] {g} {V}[{J}]
{Q}[{I}, {J}] = min({Q}[{I}, {J}], {s})
{S} {g} {V}[{I}]
{S} += {V}[{I}] * {W}[{I}]
{S} = {V}[{I}]
{S} = max({S}, {V}[{I}])
{S} {g} {I}
{S} = {I}
{S} += {Q}[{I}, {J}]
"""
