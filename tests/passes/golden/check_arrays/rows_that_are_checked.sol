@symbols(M=c.shape[0], R=first.shape[0], K=x.shape[0])
def f(first: i64[R], c: i64[M], x: f64[K]) -> scalar(i64):
    bad: b1
    beyond: b1
    wrong: b1
    seen: b1
    n: i64
    n = 0
    for r in range(0, R - 1):
        bad = False
        with map(i=range(max(0, first[r]), min(min(M, R), first[r + 1]))):
            bad = wcr.lor(c[i] >= r)
        if bad:
            raise builtins.IndexError("depends on the row")
        beyond = False
        with map(j=range(max(0, first[r]), min(min(M, R), first[r + 1]))):
            beyond = wcr.lor(c[j] + j >= K)
        if beyond:
            raise builtins.IndexError("depends on the place")
        wrong = False
        with map(p=range(max(0, first[r]), min(min(M, R), first[r + 1]))):
            wrong = wcr.lor(c[p] < first[p])
        if wrong:
            raise builtins.IndexError("two arrays")
        seen = False
        with map(q=range(max(0, first[r]), min(min(M, R), first[r + 1]))):
            seen = wcr.lor(c[q] < 0)
        if seen:
            n = n + 1
    for t in range(0, R - 1):
        bad = False
        with map(u=range(max(0, first[t]), min(M, first[t + 1]))):
            bad = wcr.lor(c[u] >= K)
        if bad:
            raise builtins.IndexError("out of bounds")
        if t < M:
            c[t] = c[t] + 1
    return n
# --- after ---
(unchanged)
