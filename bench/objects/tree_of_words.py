"""Instances in dicts: words in a trie, and how many begin with a prefix."""

PRESETS = {"tiny": {"n": 5}, "S": {"n": 100}, "M": {"n": 3_000}}
CHANGES = ()


class Node:
    def __init__(self):
        self.next = {}
        self.words = 0


def initialize(n):
    return {
        "words": ["".join("abcd"[(k >> s) % 4] for s in range(0, 12, 2)) for k in range(n)],
        "prefixes": ["a", "ab", "dd", "x"],
    }


def tree_of_words(words, prefixes):
    root = Node()
    for word in words:
        node = root
        for ch in word:
            if ch not in node.next:
                node.next[ch] = Node()
            node = node.next[ch]
            node.words += 1
    found = []
    for prefix in prefixes:
        node = root
        for ch in prefix:
            node = node.next.get(ch)
            if node is None:
                break
        found.append(0 if node is None else node.words)
    return found
