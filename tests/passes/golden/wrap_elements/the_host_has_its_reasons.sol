@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], C: f64[N], D: f64[N], x: f64, o: object):
    for k in range(0, N):
        with map(i=range(0, N)):
            A[i] = A[i] + x
            B[i] = B[i] + x
            C[i] = C[i] + x
        A[k] = x
        callback("builtins.len", outs=[], ins=[A[0:N]], args=[{"$": 0}])
        B[k] = libm_pow(B[k], x)
        for l in range(0, N):
            C[l] = C[l] * 0.5
        C[0] = x
        D[k] = x
    for k_1 in range(0, N):
        D[k_1] = x + 1.0
    return
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], C: f64[N], D: f64[N], x: f64, o: object):
    for k in range(0, N):
        with map(i=range(0, N)):
            A[i] = A[i] + x
            B[i] = B[i] + x
            C[i] = C[i] + x
        A[k] = x
        callback("builtins.len", outs=[], ins=[A[0:N]], args=[{"$": 0}])
        with map(one=range(0, 1)):
            B[k] = libm_pow(B[k], x)
        for l in range(0, N):
            C[l] = C[l] * 0.5
        C[0] = x
        D[k] = x
    for k_1 in range(0, N):
        D[k_1] = x + 1.0
    return
