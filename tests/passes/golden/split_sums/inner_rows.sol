@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], B: f64[N, M, 4], out: f64[N, M]):
    with map(i=range(0, N)):
        with map(j=range(0, M), k=range(0, 4)):
            out[i, j] += A[i, j] * B[i, j, k]
    return
# --- after ---
@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], B: f64[N, M, 4], out: f64[N, M]):
    out_acc: f64
    out_lost: f64
    with map(i=range(0, N)), private(out_acc, out_lost):
        with map(j=range(0, M)):
            out_acc = -0.0
            out_lost = -0.0
            for k in range(0, 4):
                term: f64 = A[i, j] * B[i, j, k]
                old: f64 = out_acc
                new: f64 = old + term
                out_lost = out_lost + (old - new + term if abs(old) >= abs(term) else term - new + old)
                out_acc = new
            out[i, j] += out_acc if out_lost == 0.0 or isnan(out_lost) else out_acc + out_lost
    return
