@symbols(N=A.shape[0])
def f(A: f64[N], at: i64[N]):
    for k in range(0, N):
        with map(i=range(0, N)):
            A[i] = A[i] + 1.0
            at[i] = (at[i] + 5) % N
        j: i64 = at[k] - 1
        if j >= N:
            raise builtins.IndexError("{0}", j)
        q: i64 = max(j, 0)
        value: f64 = A[q]
        large: b1 = value > 1.5
        if large:
            half: f64 = value * 0.5
            A[q] = half
            with map(i_1=range(0, q)):
                A[i_1] = A[i_1] - half
    return
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N], at: i64[N]):
    half_there: f64[()]
    j_there: i64[()]
    q_there: i64[()]
    value_there: f64[()]
    large_there: b1[()]
    alloc(half_there)
    alloc(j_there)
    alloc(q_there)
    alloc(value_there)
    alloc(large_there)
    for k in range(0, N):
        with map(i=range(0, N)):
            A[i] = A[i] + 1.0
            at[i] = (at[i] + 5) % N
        with map(one=range(0, 1)):
            j_1: i64 = at[k] - 1
            j_there[()] = j_1
        j: i64 = j_there[()]
        if j >= N:
            raise builtins.IndexError("{0}", j)
        with map(one_2=range(0, 1)):
            q_1: i64 = max(j_there[()], 0)
            q_there[()] = q_1
            value_1: f64 = A[q_1]
            value_there[()] = value_1
            large_1: b1 = value_1 > 1.5
            large_there[()] = large_1
        large: b1 = large_there[()]
        q: i64 = q_there[()]
        if large:
            with map(one_1=range(0, 1)):
                half_1: f64 = value_there[()] * 0.5
                half_there[()] = half_1
                A[q_there[()]] = half_1
            with map(i_1=range(0, q)):
                A[i_1] = A[i_1] - half_there[()]
    return
