class Guard:
    def __init__(self, u, quiet):
        self.quiet = quiet

    def __enter__(self):
        pass

    def __exit__(self, kind, error, at):
        return self.quiet and kind is not None


def h(a, k):
    log = []
    try:
        with Guard(a, True):
            log.append(10 // (k - 1))
    except (IndexError, ValueError) as e:
        log.append(str(e))
    finally:
        try:
            log.append(k)
        except StopIteration as e:
            log.append(str(e))
    return log


def f(n):
    return [h(n, k) for k in range(n)]


def calls():
    return [(3,), (0,)]
