"""Text: the commonest words and pairs of words."""

PRESETS = {"tiny": {"n": 3}, "S": {"n": 100}, "M": {"n": 5_000}}
CHANGES = ()
VERSE = "The quick brown fox jumps over the lazy dog, and the dog (a lazy one) sleeps; over and over the fox jumps. "


def initialize(n):
    return {"text": VERSE * n, "most": 5}


def word_frequencies(text, most):
    words = {}
    pairs = {}
    before = ""
    for raw in text.lower().split():
        word = raw.strip(".,;()")
        if not word:
            continue
        words[word] = words.get(word, 0) + 1
        if before:
            pair = before + " " + word
            pairs[pair] = pairs.get(pair, 0) + 1
        before = word
    top = sorted(words.items(), key=lambda item: (-item[1], item[0]))[:most]
    best = sorted(pairs.items(), key=lambda item: (-item[1], item[0]))[:most]
    return top, best
