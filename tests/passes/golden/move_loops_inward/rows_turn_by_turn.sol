@symbols(N=z.shape[0], M=z.shape[1])
def f(z: c128[N, M], c: c128[N, M], n: i64):
    for k in range(0, n):
        with map(i=range(0, N), j=range(0, M)):
            if abs(z[i, j]) < 2.0:
                z[i, j] = z[i, j] * z[i, j] + c[i, j]
# --- after ---
@symbols(N=z.shape[0], M=z.shape[1])
def f(z: c128[N, M], c: c128[N, M], n: i64):
    with map(i=range(0, N)):
        for k in range(0, n):
            with map(j=range(0, M)):
                if abs(z[i, j]) < 2.0:
                    z[i, j] = z[i, j] * z[i, j] + c[i, j]
