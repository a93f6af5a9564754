"""Text: arithmetic expressions, by recursive descent."""

PRESETS = {"tiny": {"n": 2}, "S": {"n": 30}, "M": {"n": 1_000}}
CHANGES = ()


def initialize(n):
    return {"lines": [f"({k}+2)*3.5-{k % 7}/(1+{k})*2" for k in range(n)]}


class Reader:
    def __init__(self, text):
        self.text = text
        self.at = 0

    def peek(self):
        return self.text[self.at] if self.at < len(self.text) else ""

    def number(self):
        start = self.at
        while self.at < len(self.text) and (self.text[self.at].isdigit() or self.text[self.at] == "."):
            self.at += 1
        return float(self.text[start : self.at])

    def factor(self):
        if self.peek() == "(":
            self.at += 1
            value = self.total()
            self.at += 1
            return value
        return self.number()

    def product(self):
        value = self.factor()
        while self.peek() == "*" or self.peek() == "/":
            sign = self.peek()
            self.at += 1
            if sign == "*":
                value *= self.factor()
            else:
                value /= self.factor()
        return value

    def total(self):
        value = self.product()
        while self.peek() == "+" or self.peek() == "-":
            sign = self.peek()
            self.at += 1
            if sign == "+":
                value += self.product()
            else:
                value -= self.product()
        return value


def calculator(lines):
    return [Reader(line).total() for line in lines]
