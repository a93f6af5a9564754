"""Text: the least number of edits between two strings, by rows."""

PRESETS = {"tiny": {"n": 12}, "S": {"n": 120}, "M": {"n": 700}}
CHANGES = ()


def initialize(n):
    letters = "abcdeäöü"
    return {
        "s": "".join(letters[k * k % 7] for k in range(n)),
        "t": "".join(letters[(k * k + k // 5) % 8] for k in range(n)),
    }


def edit_distance(s, t):
    row = list(range(len(t) + 1))
    for i in range(len(s)):
        above = row[0]
        row[0] = i + 1
        for j in range(len(t)):
            cost = above if s[i] == t[j] else above + 1
            above = row[j + 1]
            row[j + 1] = min(cost, row[j] + 1, above + 1)
    return row[len(t)]
