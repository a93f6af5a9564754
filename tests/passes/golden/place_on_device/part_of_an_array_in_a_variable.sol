@symbols(N=A.shape[0], M=A.shape[1])
@guards(1 <= M)
def columns(A: f64[N, M]):
    whole: f64[N * M].view(A, 0).strides(1)
    first: f64[N]
    column: f64[:].ref("A", A)
    line: f64[:].ref("C", A)
    bind(column, A[0:N, M - 1])
    bind(line, whole[0:N * M])
    for k in range(0, M):
        with map(i=range(0, N)):
            A[i, k] = A[i, k] - 0.5 * column[i] + line[0]
        alloc(first)
        with map(j=range(0, N)):
            first[j] = A[j, k] + column[j]
        bind(column, first[0:N])
    return
# --- after ---
@symbols(N=A.shape[0], M=A.shape[1])
@guards(1 <= M)
def columns(A: f64[N, M]):
    whole: f64[N * M].view(A, 0).strides(1)
    first: f64[N]
    column: f64[:].ref("A", A)
    line: f64[:].ref("C", A)
    A_dev: f64[N, M].storage("cuda").mirror(A)
    column_dev: f64[:].ref("A", A_dev).storage("cuda").mirror(column)
    first_dev: f64[N].storage("cuda").mirror(first)
    line_dev: f64[:].ref("C", A_dev).storage("cuda").mirror(line)
    whole_dev: f64[N * M].view(A_dev, 0).strides(1)
    alloc(A_dev)
    bind(column_dev, A_dev[0:N, M - 1])
    bind(column, A[0:N, M - 1])
    bind(line_dev, whole_dev[0:N * M])
    bind(line, whole[0:N * M])
    for k in range(0, M):
        copy(A_dev[0:N, 0:M], A[0:N, 0:M])
        copy(column_dev[0:column.shape[0]], column[0:column.shape[0]])
        copy(line_dev[0:line.shape[0]], line[0:line.shape[0]])
        with map(i=range(0, N)), schedule("grid"), threads(256):
            A_dev[i, k] = A_dev[i, k] - 0.5 * column_dev[i] + line_dev[0]
        copy(A[0:N, 0:M], A_dev[0:N, 0:M])
        alloc(first)
        alloc(first_dev)
        copy(A_dev[0:N, 0:M], A[0:N, 0:M])
        copy(column_dev[0:column.shape[0]], column[0:column.shape[0]])
        copy(first_dev[0:N], first[0:N])
        with map(j=range(0, N)), schedule("grid"), threads(256):
            first_dev[j] = A_dev[j, k] + column_dev[j]
        copy(first[0:N], first_dev[0:N])
        bind(column_dev, first_dev[0:N])
        bind(column, first[0:N])
    return
