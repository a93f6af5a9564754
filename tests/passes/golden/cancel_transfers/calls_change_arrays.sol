@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], o: object):
    held_by_objects: obj[()].ref("C", A)
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    alloc(A_dev)
    alloc(B_dev)
    copy(A_dev[0:N], A[0:N])
    copy(B_dev[0:N], B[0:N])
    with map(i=range(0, N)), schedule("grid"):
        B_dev[i] = A_dev[i] + B_dev[i]
    copy(B[0:N], B_dev[0:N])
    callback("param:o.step", outs=[], ins=[], effects=[held_by_objects])
    copy(A_dev[0:N], A[0:N])
    copy(B_dev[0:N], B[0:N])
    with map(i_1=range(0, N)), schedule("grid"):
        B_dev[i_1] = A_dev[i_1] * B_dev[i_1]
    copy(B[0:N], B_dev[0:N])
    return
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], o: object):
    held_by_objects: obj[()].ref("C", A)
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    alloc(A_dev)
    alloc(B_dev)
    copy(A_dev[0:N], A[0:N])
    copy(B_dev[0:N], B[0:N])
    with map(i=range(0, N)), schedule("grid"):
        B_dev[i] = A_dev[i] + B_dev[i]
    copy(B[0:N], B_dev[0:N])
    callback("param:o.step", outs=[], ins=[], effects=[held_by_objects])
    copy(A_dev[0:N], A[0:N])
    with map(i_1=range(0, N)), schedule("grid"):
        B_dev[i_1] = A_dev[i_1] * B_dev[i_1]
    copy(B[0:N], B_dev[0:N])
    return
