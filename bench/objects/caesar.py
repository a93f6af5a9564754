"""Text: letters moved along the alphabet, and how often each occurs."""

PRESETS = {"tiny": {"n": 1, "by": 3}, "S": {"n": 20, "by": 3}, "M": {"n": 1_000, "by": 3}}
CHANGES = ()
VERSE = "The quick brown fox jumps over the lazy dog, and the dog (a lazy one) sleeps; over and over the fox jumps. "


def initialize(n):
    return {"text": VERSE * n}


def caesar(text, by):
    counts = [0] * 26
    out = []
    for ch in text:
        if "a" <= ch <= "z":
            k = (ord(ch) - ord("a") + by) % 26
            counts[k] += 1
            out.append(chr(ord("a") + k))
        elif "A" <= ch <= "Z":
            k = (ord(ch) - ord("A") + by) % 26
            counts[k] += 1
            out.append(chr(ord("A") + k))
        else:
            out.append(ch)
    return "".join(out), counts
