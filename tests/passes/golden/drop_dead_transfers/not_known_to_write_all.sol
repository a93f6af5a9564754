@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], C: f64[N], x: f64):
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    C_dev: f64[N].storage("cuda").mirror(C)
    alloc(A_dev)
    alloc(B_dev)
    alloc(C_dev)
    copy(A_dev[0:N], A[0:N])
    with map(i=range(1, N)), schedule("grid"):
        A_dev[i] = x
    copy(A[0:N], A_dev[0:N])
    copy(B_dev[0:N], B[0:N])
    with map(i_1=range(0, N)), schedule("grid"):
        if A_dev[i_1] > 0.0:
            B_dev[i_1] = x
    copy(B[0:N], B_dev[0:N])
    copy(C_dev[0:N], C[0:N])
    with map(i_2=range(0, N)), schedule("grid"):
        C_dev[i_2] += x
    copy(C[0:N], C_dev[0:N])
    return
# --- after ---
(unchanged)
