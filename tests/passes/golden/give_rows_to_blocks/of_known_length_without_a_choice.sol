@symbols(N=a.shape[0])
def f(a: f64[N, 1000], b: f64[N, 8], most: f64[N], least: f64[N]):
    with map(i=range(0, N), j=range(0, 1000)):
        most[i] = wcr.max(a[i, j])
    with map(i_1=range(0, N), j_1=range(0, 8)):
        least[i_1] = wcr.min(b[i_1, j_1])
    return
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N, 1000], b: f64[N, 8], most: f64[N], least: f64[N]):
    with map(i_2=range(0, N)), threads(256):
        with map(j_2=range(0, 1000)), schedule("block"):
            most[i_2] = wcr.max(a[i_2, j_2])
    with map(i_1=range(0, N), j_1=range(0, 8)):
        least[i_1] = wcr.min(b[i_1, j_1])
    return
