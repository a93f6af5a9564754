@symbols(N=x.shape[0])
def p(x: f64[N], y: i8[N]) -> (python(i64), python(b1)):
    found: b1
    all: b1
    k: i64
    n: i64
    found = False
    all = True
    k = 0
    n = 0
    with map(i=range(0, N)), schedule("seq"):
        found = wcr.lor(x[i] > 3.0)
    with map(i=range(0, N)), schedule("seq"):
        all = wcr.land(x[i] > 3.0)
        k += i64(y[i] > i8(0))
    with map(i=range(0, N)), schedule("seq"):
        k += i64(y[i] > i8(0))
    with map(i=range(0, N)), schedule("seq"):
        n += i64(x[i] > 3.0)
    with map(i=range(0, 5)), schedule("seq"):
        found = wcr.lor(x[i] > 3.0)
    with map(i=range(0, N, 2)), schedule("seq"):
        found = wcr.lor(x[i] > 3.0)
    return k + n, found
# --- after ---
@symbols(N=x.shape[0])
def p(x: f64[N], y: i8[N]) -> (python(i64), python(b1)):
    found: b1
    all: b1
    k: i64
    n: i64
    found = False
    all = True
    k = 0
    n = 0
    with map(i=range(0, N)), schedule("seq"), until(found.wcr("lor")):
        found = wcr.lor(x[i] > 3.0)
    with map(i=range(0, N)), schedule("seq"):
        all = wcr.land(x[i] > 3.0)
        k += i64(y[i] > i8(0))
    with map(i=range(0, N)), schedule("seq"), counted(k.wcr("add")):
        k += i64(y[i] > i8(0))
    with map(i=range(0, N)), schedule("seq"):
        n += i64(x[i] > 3.0)
    with map(i=range(0, 5)), schedule("seq"):
        found = wcr.lor(x[i] > 3.0)
    with map(i=range(0, N, 2)), schedule("seq"):
        found = wcr.lor(x[i] > 3.0)
    return k + n, found
