"""Programs in text form for code generation: each brings out another part of it."""

from tests.ir import programs

CALLS = """\
@symbols(N=A.shape[0])
def calls(A: f64[N, N], t: i64, o: object) -> (array(f64, 1), array(f64, 2), python(i64)):
    w: f64[:].ref("C")
    v: f64[:, :].ref("A")
    z: i64
    B: f64[N, N]
    alloc(B)
    callback("numpy.linalg.eigh", outs=[w, v], ins=[A[0:N, 0:N]], args=[{"$": 0}], kwargs={"UPLO": "L"})
    callback("param:o", outs=[None], ins=[A[0:N, 0:N], t], args=[{"$": 0}, [1, {"$": 1}]], effects=[A])
    call("fib", outs=[z], ins=[t])
    call("shifted", outs=[v], ins=[memlet(A[0:N, 0:N].axes(1, 0))])
    lib.matmul(outs=[B[0:N, 0:N]], ins=[A[0:N, 0:N], A[0:N, 0:N].axes(1, 0)], attrs={"triangle": "lower"})
    lib.matmul(outs=[B[0:N, 0:N]], ins=[A[0:N, 0:N], v[0:v.shape[0], 0:v.shape[1]], 2.0, A[0, 0]])
    lib.ger(outs=[B[0:N, 0:N]], ins=[f64(z), A[0, 0:N], A[0:N, 1]])
    return w[0:w.shape[0]], B[0:N, 0:N].axes(1, 0), z


def fib(n: i64) -> python(i64):
    a: i64
    b: i64
    if n < 2:
        return n
    call("fib", outs=[a], ins=[n - 1])
    call("fib", outs=[b], ins=[n - 2])
    return a + b


@symbols(P=X.shape[0], Q=X.shape[1], s=X.strides[0], t=X.strides[1])
def shifted(X: f64[P, Q].strides(s, t)) -> array(f64, 2):
    r: f64[:, :].ref("A")
    bind(r, X[0:P, Q - 1:-1:-1])
    return r[0:P, 0:Q]
"""

REDUCTIONS = """\
@symbols(N=A.shape[0], M=A.shape[1])
def reductions(A: f64[N, M], h: f16[M], z: c128[N], k: i32[N]) -> (scalar(f64), scalar(f64), scalar(f16), array(f64, 1), \
array(f64, 1), scalar(c128), scalar(i32), scalar(b1), scalar(f64)):
    s: f64
    big: f64
    hs: f16
    zs: c128
    ks: i32
    some: b1
    t: f64
    rows: f64[N]
    columns: f64[M]
    alloc(rows)
    alloc(columns, zero=True)
    s = 0.0
    big = f64("-inf")
    hs = f16(0.0)
    zs = c128(0.0, 0.0)
    ks = i32(0)
    some = False
    t = 0.0
    with map(i=range(0, N), j=range(0, M)), schedule("seq", "lanes"):
        s += A[i, j] * A[i, j]
        big = wcr.max(A[i, j])
    with map(j=range(0, M)):
        hs += h[j]
    with map(i=range(0, N)):
        rows[i] = 0.0
        with map(j=range(0, M)):
            if A[i, j] > 0.0:
                rows[i] += A[i, j]
    with map(i=range(0, N), j=range(0, M)):
        columns[j] += A[i, j]
    with map(i=range(0, N)):
        zs += z[i]
        ks += k[i]
        some |= k[i] > i32(5)
    with map(i=range(0, N), j=range(0, i)), schedule("threads", "seq"), when(N > 1):
        t += A[i, j % M]
    return s, big, hs, rows[0:N], columns[0:M], zs, ks, some, t
"""

MASKS = """\
@symbols(N=A.shape[0], M=A.shape[1])
def masks(A: f64[N, M], m: b1[N, M]) -> (array(b1, 1), array(b1, 1), array(b1, 2)):
    rows: b1[N]
    columns: b1[M]
    copy: b1[N, M]
    alloc(rows)
    alloc(columns, zero=True)
    alloc(copy)
    with map(i=range(0, N)):
        rows[i] = True
        with map(j=range(0, M)), schedule("lanes"):
            rows[i] = wcr.land(m[i, j])
    with map(i=range(0, N), j=range(0, M)), schedule("seq", "lanes"):
        columns[j] = wcr.lor(m[i, j] and A[i, j] > 1.0)
    with map(i=range(0, N), j=range(0, M)), schedule("seq", "lanes"):
        copy[i, j] = m[i, j]
    return rows[0:N], columns[0:M], copy[0:N, 0:M]
"""

ALL = {k: v for k, v in programs.ALL.items() if k != "calls"} | {
    "calls": CALLS,
    "reductions": REDUCTIONS,
    "masks": MASKS,
}
