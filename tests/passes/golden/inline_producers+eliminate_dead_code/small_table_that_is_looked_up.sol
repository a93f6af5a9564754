@symbols(N=x.shape[0])
@guards(N >= 4)
def f(x: u8[N], a: f64[N], y: f64[N], z: f64[3]):
    levels: f64[4]
    few: f64[4]
    alloc(levels)
    with map(j=range(0, 4)):
        levels[j] = rint(a[j] * 255.0) + 1.0
    with map(i=range(0, N)):
        y[i] = levels[i64(x[i])]
    alloc(few)
    with map(j1=range(0, 4)):
        few[j1] = rint(a[j1] * 255.0) - 1.0
    with map(i1=range(0, 3)):
        z[i1] = few[i64(x[i1])]
# --- after ---
@symbols(N=x.shape[0])
@guards(N >= 4)
def f(x: u8[N], a: f64[N], y: f64[N], z: f64[3]):
    levels: f64[4]
    alloc(levels)
    with map(j=range(0, 4)):
        levels[j] = rint(a[j] * 255.0) + 1.0
    with map(i=range(0, N)):
        y[i] = levels[i64(x[i])]
    with map(i1=range(0, 3)):
        z[i1] = rint(a[i64(x[i1])] * 255.0) - 1.0
