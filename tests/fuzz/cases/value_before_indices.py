import numpy as np


def f(w, i, v, how):
    try:
        if how == 0:
            w[i] = v
        elif how == 1:
            w[:, i] = v
        elif how == 2:
            w[i, i] = v
        elif how == 3:
            w[i, 2] = v
        elif how == 4:
            w[7, i] = v
        elif how == 5:
            w[i, [0, 1, 2]] = v
    except IndexError as e:
        return w, str(e)
    except ValueError as e:
        return w, str(e)
    return w


def calls():
    w = np.ones((5, 5))
    values = [np.ones(3), np.ones(2), np.ones((5, 2)), np.ones((3, 1, 5))]
    return [(w, np.array(i), v, how) for how in range(6) for v in values for i in ([1, 2], [1, 8])]
