"""Programs in text form that together use every node, descriptor and corner of the text."""

GEMM = """\
@symbols(N=A.shape[0], K=A.shape[1], M=B.shape[1])
@guards(N >= 2, B.shape[0] == K)
@structure({"leaf": 0})
def gemm(alpha: f64, A: f64[N, K], B: f64[K, M], C: f64[N, M]) -> array(f64, 2, base=C, same=C):
    tmp: f64
    with map(i=range(0, N), j=range(0, M)), schedule("threads", "seq"), private(tmp), when(N * M > 1000):
        tmp = 0.0
        for k in range(0, K):
            tmp += A[i, k] * B[k, j]
        C[i, j] = alpha * tmp + C[i, j]
    return C[0:N, 0:M]
"""

LAYOUTS = """\
@symbols(N=x.shape[0], s=y.strides[1])
def layouts(x: f64[N].readonly(), y: c64[N, N].strides(1, s).alias("g0"), o: object, n: i32):
    a: f64[N, 4].strides(1, N)
    b: f32[2, 2].storage("register")
    v: f32[N].view(y, 1).strides(2)
    d: f64[()]
    r: f64[:, :].ref("F", a)
    q: c128[()].ref("A")
    alloc(a, zero=True)
    alloc(d)
    bind(r, a[0:N, 0:4].axes(0, 1))
    copy(a[0:N, 0], x[N - 1:-1:-1])
    b[0, 1] = v[0]
    d[()] = r[1, 0] + 1.0
    m: i64 = r.shape[0] + y.strides[1]
    k: i32 = n + i32(1)
    if i64(k) < m:
        d[()] = x[0]
    elif k == n:
        pass
    else:
        d[()] *= 2.0
"""

CONTROL = """\
def control(n: i64, c: f64) -> (python(i64), scalar(f64)):
    s: i64
    f: f64
    u: u8[3]
    alloc(u, zero=True)
    s = 0
    f = f64("inf")
    while s < n:
        s += 1
        if s == 5:
            break
        if s % 2 == 0:
            continue
        f = wcr.min(c * f64(s))
        u[s % 3] |= u8(4)
    for i in range(n, -1, -2):
        f = wcr.max(f64(i) if i > 2 and c > 0.0 else -c)
    if f != f or not s <= 3:
        raise builtins.ValueError("bad {0} and {1}", f, s + 1)
    if s == -7:
        raise builtins.StopIteration
    return s, f
"""

CALLS = """\
@symbols(N=A.shape[0])
@structure({"tuple": [{"leaf": 0}, {"dict": [["k", {"leaf": 1}]]}, {"const": "a'b"}, {"param": "o"}, None]})
def calls(A: f64[N, N], t: i64, o: object) -> (array(f64, 1), array(f64, 2)):
    w: f64[:].ref("C")
    v: f64[:, :].ref("A")
    z: i64
    B: f64[N, N]
    alloc(B)
    callback("numpy.linalg.eigh", outs=[w, v], ins=[A[0:N, 0:N]], args=[{"$": 0}], kwargs={"UPLO": "L"})
    callback("param:o", outs=[None], ins=[A[0:N, 0:N], t], args=[{"$": 0}, [1, {"$": 1}], nan, -inf], effects=[A])
    call("fib", outs=[z], ins=[t, memlet(A[0, 0])])
    lib.matmul(outs=[B[0:N, 0:N]], ins=[A[0:N, 0:N], A[0:N, 0:N].axes(1, 0)], attrs={"triangle": "lower"})
    lib.matmul(outs=[B[0:N, 0:N]], ins=[A[0:N, 0:N], A[0:N, 0:N], 2.0, A[0, 0]])
    lib.ger(outs=[B[0:N, 0:N]], ins=[f64(z), A[0, 0:N], A[0:N, 1]])
    return w[0:w.shape[0]], B[0:N, 0:N].axes(1, -1, 0)


def fib(n: i64) -> python(i64):
    a: i64
    b: i64
    if n < 2:
        return n
    call("fib", outs=[a], ins=[n - 1])
    call("fib", outs=[b], ins=[n - 2])
    return a + b
"""

CONSTANTS = """\
@named("<lambda>", "<lambda>")
def f(x: f64, h: f32, k: i8, z: c128, t: b1):
    o: f64[8]
    p: c128[4]
    q: b1
    alloc(o)
    alloc(p)
    o[0] = -0.0
    o[1] = f64("nan") + f64("-inf") * 1e-300
    o[2] = neg(1.0) - -x - (x - 1.0) + -x ** 2.0 + (-2.0) ** x + (x ** x) ** x
    o[3] = f64(f32(0.1) * h) + cast(f64, f32(2.5)) + f64(k)
    o[4] = sqrt(abs(x)) % 3.0 // 2.0 + arctan2(x, 1.0)
    o[5] = abs(z) + real(z) * imag(conj(z))
    p[0] = c128(1.0, -0.0) * z
    p[1] = complex(x, 0.0) + c128(x) + c128("nan", "-inf")
    q = t or x < 1.0 and not t or (t or q)
    q = (x < 1.0) == (x > 2.0)
    q = k & i8(-3) | k ^ ~k << i8(1) >= (k - i8(1)) * k >> k
    o[6] = 1.0 if (2.0 if t else 3.0) > 2.0 else x if q else 2.0
    o[7] = (1.0 if q else 2.0) + 3.0
    return
"""

ALTERNATIVES = """\
@symbols(N=A.shape[0])
@structure({"tuple": [{"either": [2, [{"leaf": 0}, {"leaf": 1}, {"list": [{"leaf": 1}, {"const": "none"}]}, None]]}]})
def either(A: f64[N], k: i64) -> (scalar(f64), array(f64, 1, base=A), python(i64)):
    if k > 0:
        if k > 5:
            return {2: 3}
        return {1: A[0:N], 2: k}
    return A[0]
"""

ALL = {
    "gemm": GEMM,
    "layouts": LAYOUTS,
    "control": CONTROL,
    "calls": CALLS,
    "constants": CONSTANTS,
    "either": ALTERNATIVES,
}
