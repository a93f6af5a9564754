@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[N, M], c: f64[N, M, 9], d: f64[N, M, 9]):
    a_dev: f64[N, M].storage("cuda").mirror(a)
    b_dev: f64[N, M].storage("cuda").mirror(b)
    c_dev: f64[N, M, 9].storage("cuda").mirror(c)
    d_dev: f64[N, M, 9].storage("cuda").mirror(d)
    alloc(a_dev)
    alloc(b_dev)
    alloc(c_dev)
    alloc(d_dev)
    with map(i=range(0, N - 2), j=range(0, M)), schedule("grid", "grid"), threads(8, 32):
        b_dev[i, j] = a_dev[i, j] + a_dev[i + 2, j]
    with map(i=range(1, N), j=range(0, M), k=range(0, 9)), schedule("grid", "grid", "grid"), threads(2, 4, 32):
        d_dev[i, j, k] = c_dev[i, j, k] - c_dev[i - 1, j, k]
    with map(i=range(0, N), j=range(1, M), k=range(0, 9)), schedule("grid", "grid", "grid"), threads(2, 4, 32):
        d_dev[i, j, k] = c_dev[i, j, k] - c_dev[i, j - 1, k]
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[N, M], c: f64[N, M, 9], d: f64[N, M, 9]):
    a_dev: f64[N, M].storage("cuda").mirror(a)
    b_dev: f64[N, M].storage("cuda").mirror(b)
    c_dev: f64[N, M, 9].storage("cuda").mirror(c)
    d_dev: f64[N, M, 9].storage("cuda").mirror(d)
    alloc(a_dev)
    alloc(b_dev)
    alloc(c_dev)
    alloc(d_dev)
    some: i64 = 8 if 1048576 <= max(0, N - 2) * max(M, 0) else 1
    pieces: i64 = (some + max(0, N - 2) - 1) // some
    with map(piece=range(0, pieces), j=range(0, M)), schedule("grid", "grid"), threads(4, 64):
        if some == 8 and 8 * piece + 10 <= N:
            with map(i=range(8 * piece, 8 * piece + 8)), schedule("unrolled"):
                b_dev[i, j] = a_dev[i, j] + a_dev[i + 2, j]
        else:
            with map(i_1=range(piece * some, min(some + piece * some, N - 2))), schedule("rolled"):
                b_dev[i_1, j] = a_dev[i_1, j] + a_dev[i_1 + 2, j]
    some_1: i64 = 8 if 116509 <= max(0, N - 1) * max(M, 0) else 1
    pieces_1: i64 = (some_1 + max(0, N - 1) - 1) // some_1
    with map(piece_1=range(0, pieces_1), j=range(0, M), k=range(0, 9)), schedule("grid", "grid", "grid"), threads(1, 8, 32):
        if some_1 == 8 and 8 * piece_1 + 9 <= N:
            with map(i=range(8 * piece_1 + 1, 8 * piece_1 + 9)), schedule("unrolled"):
                d_dev[i, j, k] = c_dev[i, j, k] - c_dev[i - 1, j, k]
        else:
            with map(i_2=range(piece_1 * some_1 + 1, min(N, some_1 + piece_1 * some_1 + 1))), schedule("rolled"):
                d_dev[i_2, j, k] = c_dev[i_2, j, k] - c_dev[i_2 - 1, j, k]
    some_2: i64 = 8 if 116509 <= max(0, M - 1) * max(N, 0) else 1
    pieces_2: i64 = (some_2 + max(0, M - 1) - 1) // some_2
    with map(i=range(0, N), piece_2=range(0, pieces_2), k=range(0, 9)), schedule("grid", "grid", "grid"), threads(1, 4, 64):
        if some_2 == 8 and 8 * piece_2 + 9 <= M:
            with map(j=range(8 * piece_2 + 1, 8 * piece_2 + 9)), schedule("unrolled"):
                d_dev[i, j, k] = c_dev[i, j, k] - c_dev[i, j - 1, k]
        else:
            with map(j_1=range(piece_2 * some_2 + 1, min(M, some_2 + piece_2 * some_2 + 1))), schedule("rolled"):
                d_dev[i, j_1, k] = c_dev[i, j_1, k] - c_dev[i, j_1 - 1, k]
