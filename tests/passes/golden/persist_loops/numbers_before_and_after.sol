@symbols(N=a.shape[0])
def f(a: f64[N], n: i64) -> (scalar(f64), scalar(i64), scalar(f64)):
    kept: f64
    last: i64
    inner: f64
    given: f64
    kept = 3.0
    last = -1
    inner = 0.5
    given = a[0]
    for k in range(0, n - 2):
        inner = a[k % N] + given
        with map(i=range(0, N)):
            a[i] = a[i] + inner * kept
        if a[0] > 0.0:
            kept = a[1]
        last = k
    return kept, last, inner
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N], n: i64) -> (scalar(f64), scalar(i64), scalar(f64)):
    kept: f64
    last: i64
    inner: f64
    given: f64
    inner_1: f64
    kept_1: f64
    last_1: i64
    inner_there: f64[()]
    kept_there: f64[()]
    last_there: i64[()]
    kept = 3.0
    last = -1
    inner = 0.5
    given = a[0]
    if 0.0 < (f64(n) - 2.0) * (f64(N) * 6.0 * -3.5606060606060608e-06 + 2.0):
        alloc(inner_there)
        alloc(kept_there)
        alloc(last_there)
        with map(one=range(0, 1)), cluster((max(N, 0) + 511) // 512 if 4096 <= max(N, 0) else 1), private(inner_1, kept_1, last_1):
            inner_1 = inner
            kept_1 = kept
            last_1 = last
            for k_1 in range(0, n - 2):
                inner_1 = a[k_1 % N] + given
                with map(i_1=range(0, N)), schedule("cluster"):
                    a[i_1] = a[i_1] + inner_1 * kept_1
                if a[0] > 0.0:
                    kept_1 = a[1]
                last_1 = k_1
            inner_there[()] = inner_1
            kept_there[()] = kept_1
            last_there[()] = last_1
        inner = inner_there[()]
        kept = kept_there[()]
        last = last_there[()]
    else:
        for k in range(0, n - 2):
            inner = a[k % N] + given
            with map(i=range(0, N)):
                a[i] = a[i] + inner * kept
            if a[0] > 0.0:
                kept = a[1]
            last = k
    return kept, last, inner
