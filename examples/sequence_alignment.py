"""Plain Python loops over array elements: the score of the best local alignment of two sequences."""

import numpy as np

import soljit as sol


def similarity(a, b):
    return 2 if a == b else -1


@sol.jit
def best_score(first, second, gap):
    score = np.zeros((len(first) + 1, len(second) + 1), dtype=np.int64)
    best = 0
    for i in range(1, len(first) + 1):
        for j in range(1, len(second) + 1):
            pair = score[i - 1, j - 1] + similarity(first[i - 1], second[j - 1])
            score[i, j] = max(0, pair, score[i - 1, j] - gap, score[i, j - 1] - gap)
            if score[i, j] > best:
                best = int(score[i, j])
    return best


rng = np.random.default_rng(0)
first, second = rng.integers(0, 4, 300), rng.integers(0, 4, 320)
assert best_score(first, second, 1) == best_score.python(first, second, 1)
print("best local alignment:", best_score(first, second, 1))
