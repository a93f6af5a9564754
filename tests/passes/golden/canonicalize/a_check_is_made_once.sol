@symbols(N=a.shape[0])
def f(a: f64[N], x: f64, n: i64):
    for k in range(0, n):
        if x == 0.0:
            raise builtins.ZeroDivisionError("float division by zero")
        a[0] = a[0] / x
        if x == 0.0:
            raise builtins.ZeroDivisionError("float division by zero")
        if a[0] > 0.0:
            if n > 7:
                a[1] = 1.0
                if n > 7:
                    a[2] = 1.0
        if a[0] > 0.0:
            a[3] = 1.0
    if x == 0.0:
        raise builtins.ZeroDivisionError("float division by zero")
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N], x: f64, n: i64):
    for k in range(0, n):
        if x == 0.0:
            raise builtins.ZeroDivisionError("float division by zero")
        a[0] = a[0] / x
        if a[0] > 0.0:
            if n > 7:
                a[1] = 1.0
                a[2] = 1.0
        if a[0] > 0.0:
            a[3] = 1.0
    if x == 0.0:
        raise builtins.ZeroDivisionError("float division by zero")
