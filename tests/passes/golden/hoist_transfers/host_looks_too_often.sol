@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], C: f64[N], n: i64) -> scalar(f64):
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    C_dev: f64[N].storage("cuda").mirror(C)
    s: f64
    alloc(A_dev)
    alloc(B_dev)
    alloc(C_dev)
    s = 0.0
    for t in range(0, n + 3):
        copy(A_dev[0:N], A[0:N])
        copy(B_dev[0:N], B[0:N])
        copy(C_dev[0:N], C[0:N])
        with map(i=range(0, N)), schedule("grid"):
            A_dev[i] = A_dev[i] * 0.5 + B_dev[i]
            B_dev[i] = B_dev[i] + 1.0
            C_dev[i] = C_dev[i] + 2.0
        copy(A[0:N], A_dev[0:N])
        copy(B[0:N], B_dev[0:N])
        copy(C[0:N], C_dev[0:N])
        for k in range(0, 3):
            if k == t:
                s = s + A[k]
        if B[0] > s:
            s = s - B[1]
        if t % 2 == 1:
            copy(C_dev[0:N], C[0:N])
            with map(i_1=range(0, N)), schedule("grid"):
                C_dev[i_1] = C_dev[i_1] * 0.5
            copy(C[0:N], C_dev[0:N])
            s = s + C[0]
    return s
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], C: f64[N], n: i64) -> scalar(f64):
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    C_dev: f64[N].storage("cuda").mirror(C)
    s: f64
    alloc(A_dev)
    alloc(B_dev)
    alloc(C_dev)
    s = 0.0
    copy(A_dev[0:N], A[0:N])
    copy(B_dev[0:N], B[0:N])
    copy(C_dev[0:N], C[0:N])
    for t in range(0, n + 3):
        with map(i=range(0, N)), schedule("grid"):
            A_dev[i] = A_dev[i] * 0.5 + B_dev[i]
            B_dev[i] = B_dev[i] + 1.0
            C_dev[i] = C_dev[i] + 2.0
        copy(A[0:N], A_dev[0:N])
        copy(B[0:N], B_dev[0:N])
        copy(C[0:N], C_dev[0:N])
        for k in range(0, 3):
            if k == t:
                s = s + A[k]
        if B[0] > s:
            s = s - B[1]
        if t % 2 == 1:
            with map(i_1=range(0, N)), schedule("grid"):
                C_dev[i_1] = C_dev[i_1] * 0.5
            copy(C[0:N], C_dev[0:N])
            s = s + C[0]
    return s
