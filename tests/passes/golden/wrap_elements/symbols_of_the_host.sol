@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], count: i64[N]) -> scalar(i64):
    last: i64
    last = 0
    for k in range(0, N):
        with map(i=range(0, N)):
            A[i] = A[i] + B[i]
            count[i] = count[i] % 3
        m: i64 = min(count[k], N)
        first: f64 = A[0]
        with map(i_1=range(0, m)):
            B[i_1] = B[i_1] + first
        if first > 2.0:
            A[k] = 0.0
            last = last + m
    return last
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], count: i64[N]) -> scalar(i64):
    last: i64[()]
    m_there: i64[()]
    first_there: f64[()]
    alloc(last)
    alloc(m_there)
    alloc(first_there)
    last[()] = 0
    for k in range(0, N):
        with map(i=range(0, N)):
            A[i] = A[i] + B[i]
            count[i] = count[i] % 3
        with map(one=range(0, 1)):
            m_1: i64 = min(count[k], N)
            m_there[()] = m_1
            first_1: f64 = A[0]
            first_there[()] = first_1
        first: f64 = first_there[()]
        m: i64 = m_there[()]
        with map(i_1=range(0, m)):
            B[i_1] = B[i_1] + first_there[()]
        if first > 2.0:
            with map(one_1=range(0, 1)):
                A[k] = 0.0
                last[()] = last[()] + m_there[()]
    return last[()]
