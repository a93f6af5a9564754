@symbols(N=u.shape[0])
@guards(N >= 3)
def f(u: f64[N], v: f64[N], sim: object):
    held_by_objects: obj[()].ref("C", u)
    a: f64 = u[0] + v[0]
    b: f64 = u[1]
    callback("param:sim.step", outs=[], ins=[], effects=[held_by_objects])
    c: f64 = u[0] + v[0]
    d: f64 = u[1]
    e: f64 = v[1]
    callback("param:sim.step", outs=[], ins=[], effects=[held_by_objects])
    g: f64 = v[1]
    u[2] = a + b + c + d + e + g
# --- after ---
@symbols(N=u.shape[0])
@guards(N >= 3)
def f(u: f64[N], v: f64[N], sim: object):
    held_by_objects: obj[()].ref("C", u)
    a: f64 = u[0] + v[0]
    b: f64 = u[1]
    callback("param:sim.step", outs=[], ins=[], effects=[held_by_objects])
    c: f64 = u[0] + v[0]
    d: f64 = u[1]
    e: f64 = v[1]
    callback("param:sim.step", outs=[], ins=[], effects=[held_by_objects])
    u[2] = a + b + c + d + e + e
