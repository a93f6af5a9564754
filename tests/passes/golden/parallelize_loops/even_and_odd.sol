@symbols(N=a.shape[0])
def f(a: f64[N]):
    for i in range(0, N // 2):
        a[2 * i] = a[2 * i + 1]
    for j in range(0, N // 2):
        a[2 * j] = a[j]
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N]):
    with map(i=range(0, N // 2)):
        a[2 * i] = a[2 * i + 1]
    for j in range(0, N // 2):
        a[2 * j] = a[j]
