# ruff: noqa: B012 (what finally clauses do to exceptions is what is tested)
"""break, continue and return in a finally clause, which take the place of the return, jump or exception that it is run for."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, case_tests


def break_for_a_return(a: np.ndarray, n: int) -> Any:
    k = 0
    while True:
        k += 1
        try:
            a[k] += 1
            if k == n:
                return 7
        finally:
            if k == 3:
                break
    return k


def continue_for_a_return(a: np.ndarray, n: int) -> Any:
    k = 0
    while k < 5:
        k += 1
        try:
            try:
                a[k] += 1
                if k == n:
                    return 7
            finally:
                a[0] += 1
                if k == 2:
                    continue
        except IndexError:
            break
        finally:
            a[1] += k
    return k


def jumps_for_jumps(a: np.ndarray, n: int) -> Any:
    for k in range(n):
        try:
            if k == 1:
                continue
            if k == 2:
                break
            a[k] = 1
        finally:
            if n == 2:
                break
            if n == 3:
                continue
            if n == 5:
                return 8
    else:
        return 9
    return k, a


def in_finally_in_finally(a: np.ndarray, n: int) -> Any:
    for k in range(n):
        try:
            try:
                a[k] = 1 // (n - 3)
            finally:
                try:
                    if n == 4:
                        return 1
                    a[k + 1] = 2
                finally:
                    if n == 6:
                        break
                    if n == 7:
                        continue
        except (IndexError, ZeroDivisionError) as e:
            print(e)
            try:
                return k
            finally:
                if k == 2:
                    continue
    return a


def jumps_for_exceptions(a: np.ndarray, n: int) -> Any:
    while True:
        n -= 1
        try:
            if n > 2:
                raise ValueError(n)
            a[n] += 2
        except ValueError as e:
            if n == 4:
                return str(e)
        finally:
            if n <= 0:
                break
            if n == 5:
                continue
            a[0] += 1
    return n


def out_of_loops_in_the_body(a: np.ndarray, n: int) -> Any:
    m = 0
    while m < 5:
        m += 1
        try:
            for k in range(n):
                if k == 2:
                    return 7, m
                for j in range(2):
                    if k + j == m:
                        return 8, a
                a[k] += 1
            a[m] += 3
        finally:
            a[0] += 2
            if n == 4:
                break
            if n == 5:
                continue
    return m, a


def loops_in_the_clause(a: np.ndarray, n: int) -> Any:
    for m in range(4):
        try:
            for k in range(n):
                try:
                    if k == 3:
                        return 7, m
                    if m + k == n:
                        break
                    a[2 * k] += 1
                finally:
                    if n == 6:
                        continue
            a[m] += 3
        except IndexError:
            a[0] += 2
            try:
                return 5
            finally:
                if n == 5:
                    continue
        finally:
            for z in range(3):
                if z == 1:
                    break
            if n == 7:
                break
            try:
                for z in range(3):
                    if z == 1:
                        continue
                a[1] += 2
            finally:
                a[2] += 1
    return m, a


FUNCTIONS = (
    break_for_a_return,
    continue_for_a_return,
    jumps_for_jumps,
    in_finally_in_finally,
    jumps_for_exceptions,
    out_of_loops_in_the_body,
    loops_in_the_clause,
)
CASES: list[Case] = [(f, [(np.zeros(6), n) for n in range(8)]) for f in FUNCTIONS]
test_interpreted, test_compiled = case_tests(CASES, {"out_of_loops_in_the_body"})
