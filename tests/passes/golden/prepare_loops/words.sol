@symbols(N=x.shape[0])
def p(mask: b1[N], x: f64[N], y: f64[N], far: b1[N, 2]):
    for i in range(0, N):
        if mask[i]:
            y[i] = x[i]
    for i in range(0, N):
        if mask[i]:
            mask[i + 1] = False
    for i in range(0, N):
        if far[i, 0]:
            y[i] = x[i]
    for i in range(0, N):
        if mask[i]:
            y[i] = x[i]
        else:
            y[i] = 0.0
# --- after ---
@symbols(N=x.shape[0])
def p(mask: b1[N], x: f64[N], y: f64[N], far: b1[N, 2]):
    with loop(i=range(0, N)), words():
        if mask[i]:
            y[i] = x[i]
    for i in range(0, N):
        if mask[i]:
            mask[i + 1] = False
    for i in range(0, N):
        if far[i, 0]:
            y[i] = x[i]
    for i in range(0, N):
        if mask[i]:
            y[i] = x[i]
        else:
            y[i] = 0.0
