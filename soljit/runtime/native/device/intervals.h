// Sets of bytes of the host, as intervals of addresses.
#ifndef SOLJIT_INTERVALS_H
#define SOLJIT_INTERVALS_H
#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <vector>

struct Interval {
  uintptr_t lo, hi;
};

// Intervals in order, which neither overlap nor touch. A set of many small ones becomes a larger set: more than `MOST` are never kept.
class Intervals {
  enum { MOST = 256 };
  std::vector<Interval> all;

 public:
  Intervals() = default;
  Intervals(uintptr_t lo, uintptr_t hi) { add(lo, hi); }
  auto begin() const { return all.begin(); }
  auto end() const { return all.end(); }
  bool empty() const { return all.empty(); }
  void clear() { all.clear(); }

  int64_t bytes() const {
    int64_t sum = 0;
    for (const Interval& i : all) sum += (int64_t)(i.hi - i.lo);
    return sum;
  }

  void add(uintptr_t lo, uintptr_t hi) {
    if (lo >= hi) return;
    const auto first = std::find_if(all.begin(), all.end(), [&](const Interval& i) { return i.hi >= lo; });
    auto last = first;
    for (; last != all.end() && last->lo <= hi; ++last) {
      lo = std::min(lo, last->lo);
      hi = std::max(hi, last->hi);
    }
    all.insert(all.erase(first, last), {lo, hi});
    for (uintptr_t gap = 4096; all.size() > MOST; gap *= 2) join(gap);
  }

  void remove(uintptr_t lo, uintptr_t hi) {
    if (lo >= hi || all.empty()) return;
    std::vector<Interval> rest;
    for (const Interval& i : all) {
      if (i.lo < std::min(lo, i.hi)) rest.push_back({i.lo, std::min(lo, i.hi)});
      if (std::max(hi, i.lo) < i.hi) rest.push_back({std::max(hi, i.lo), i.hi});
    }
    all.swap(rest);
  }

  // What of the set lies from `lo` up to `hi`.
  Intervals within(uintptr_t lo, uintptr_t hi) const {
    Intervals found;
    for (const Interval& i : all)
      if (std::max(i.lo, lo) < std::min(i.hi, hi)) found.all.push_back({std::max(i.lo, lo), std::min(i.hi, hi)});
    return found;
  }

  // Add what lies between intervals that are at most `gap` bytes apart.
  void join(uintptr_t gap) {
    size_t n = 0;
    for (const Interval& i : all) {
      if (n && i.lo - all[n - 1].hi <= gap) all[n - 1].hi = i.hi;
      else all[n++] = i;
    }
    all.resize(n);
  }
};
#endif
