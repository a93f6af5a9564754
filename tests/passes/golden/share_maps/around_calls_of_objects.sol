@symbols(N=u.shape[0])
@guards(N >= 3)
def f(u: f64[N], w: f64[N], sim: object):
    held_by_objects: obj[()].ref("C", u)
    s: f64[N]
    t: f64[N]
    alloc(s)
    alloc(t)
    with map(i=range(0, N)):
        s[i] = u[i] * 2.0
    callback("param:sim.step", outs=[], ins=[], effects=[held_by_objects])
    with map(j=range(0, N)):
        t[j] = u[j] * 2.0
    with map(k=range(0, N)):
        w[k] = s[k] - t[k]
# --- after ---
(unchanged)
