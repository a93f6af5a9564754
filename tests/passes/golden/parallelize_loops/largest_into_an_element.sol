@symbols(N=b.shape[0])
def f(a: i32[8], b: i32[N], x: f64[8], y: f64[N]):
    for k in range(0, N):
        old: i32 = a[3]
        new: i32 = b[k]
        larger: i32 = new if old < new else old
        a[3] = larger
    for j in range(0, N):
        before: f64 = x[3]
        after: f64 = before + y[j]
        x[3] = after + y[j]
# --- after ---
@symbols(N=b.shape[0])
def f(a: i32[8], b: i32[N], x: f64[8], y: f64[N]):
    with map(k=range(0, N)):
        new: i32 = b[k]
        a[3] = wcr.max(new)
    for j in range(0, N):
        before: f64 = x[3]
        after: f64 = before + y[j]
        x[3] = after + y[j]
