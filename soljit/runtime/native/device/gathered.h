// Launches that are gathered before the driver gets them, and CUDA graphs that were made of earlier ones.
//
// A launch costs the host about three microseconds, a node of a graph the device one. Loops launch the same kernels again and again: once a graph of so many
// turns of them is made, only arguments and sizes that have changed are put into it.
#ifndef SOLJIT_GATHERED_H
#define SOLJIT_GATHERED_H
#include <string.h>

#include <algorithm>
#include <chrono>
#include <unordered_set>
#include <vector>

#include "driver.h"

// A kernel of a module.
struct Function {
  CUfunction handle = nullptr;
  uint32_t shared = 0;          // dynamic memory that it may use so far
  uint32_t together = 0;        // its blocks that can wait for each other; 0: not known yet
  bool known = false;           // does the driver tell how large its arguments are?
  bool launched = false;        // what can be wrong with it was found when it was launched for the first time
  std::vector<uint32_t> sizes;  // bytes of each argument
};

// A launch with copies of its arguments.
struct Launch {
  const Function* function;
  uint32_t n[6], shared;  // blocks and threads along x, y, z; dynamic memory
  size_t first, last;     // bytes of the arguments in `Launches::bytes`, each at a multiple of 8
};

struct Launches {
  std::vector<Launch> all;
  std::vector<char> bytes;

  void add(const Function& f, const uint32_t* n, uint32_t shared, void* const* with) {
    Launch l = {&f, {}, shared, bytes.size(), 0};
    memcpy(l.n, n, sizeof l.n);
    for (size_t k = 0; k < f.sizes.size(); k++) {
      const size_t at = bytes.size();
      bytes.resize(at + (f.sizes[k] + 7) / 8 * 8);
      memcpy(bytes.data() + at, with[k], f.sizes[k]);
    }
    l.last = bytes.size();
    all.push_back(l);
  }

  // Pointers to the arguments of a launch, valid until the next `add`.
  void arguments(const Launch& l, std::vector<void*>& out) {
    out.clear();
    size_t at = l.first;
    for (const uint32_t size : l.function->sizes) {
      out.push_back(bytes.data() + at);
      at += (size + 7) / 8 * 8;
    }
  }

  bool is_same(size_t k, const Launches& other) const {
    const Launch &a = all[k], &b = other.all[k];
    return a.function == b.function && !memcmp(a.n, b.n, sizeof a.n) && a.shared == b.shared && a.last - a.first == b.last - b.first &&
           !memcmp(bytes.data() + a.first, other.bytes.data() + b.first, a.last - a.first);
  }

  // Let launch k have what launch k of others has, which is one of the same kernel.
  void put(size_t k, const Launches& from) {
    const Launch &its = from.all[k], mine = all[k];
    memcpy(bytes.data() + mine.first, from.bytes.data() + its.first, its.last - its.first);
    memcpy(all[k].n, its.n, sizeof its.n);
    all[k].shared = its.shared;
  }

  // Forget the first ones.
  void drop(size_t count) {
    const size_t from = count < all.size() ? all[count].first : bytes.size();
    all.erase(all.begin(), all.begin() + (ptrdiff_t)count);
    bytes.erase(bytes.begin(), bytes.begin() + (ptrdiff_t)from);
    for (Launch& l : all) l.first -= from, l.last -= from;
  }

  // After how many launches the same kernels follow again, all the way; 0: never.
  size_t period() const {
    for (size_t p = 1; p <= all.size() / 2; p++) {
      size_t k = p;
      while (k < all.size() && all[k].function == all[k - p].function) k++;
      if (k == all.size()) return p;
    }
    return 0;
  }

  uint64_t hash(size_t count) const {  // of the kernels of the first ones (FNV-1a)
    uint64_t h = 14695981039346656037u;
    for (size_t k = 0; k < count; k++) h = (h ^ (uintptr_t)all[k].function) * 1099511628211u;
    return h;
  }
};

struct Graph {
  uint64_t hash, turn;
  Launches with;  // what its nodes have
  CUgraph graph;
  CUgraphExec ready;
  std::vector<CUgraphNode> nodes;

  bool is_for(const Launches& l, size_t count) const {
    if (with.all.size() != count) return false;
    for (size_t k = 0; k < count; k++)
      if (l.all[k].function != with.all[k].function) return false;
    return true;
  }
};

struct Gathered {
  enum : size_t { GRAPHS = 32, SEEN = 4096 };
  enum : int { FAILURES = 3 };
  bool on = false;            // can the driver do that?
  int failures = 0;           // graphs in a row that it could not make; after so many it is not asked any more
  bool patient = false;       // does it not count how long the host takes between launches? On the emulated device: what it does must not hang on that
  size_t direct = 1;          // launches after a wait that are not gathered: the device has nothing to do
  size_t most = 256;          // launches of a graph, of at least two turns
  size_t least = 4;           // that are worth one
  int64_t close = 10'000;     // nanoseconds between launches that follow each other closely
  size_t since_wait = 0;      // launches that followed each other closely
  int64_t last = 0;           // when the last one was
  Launches waiting;
  std::vector<Graph> graphs;
  std::unordered_set<uint64_t> seen;  // sequences of kernels that were sent one by one
  uint64_t turn = 0;

  // Does a launch of now follow the last one closely?
  bool follows() {
    if (patient) return true;
    const int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
    const bool is = now - last < close;
    last = now;
    return is;
  }

  Graph* find(uint64_t hash, size_t count) {
    for (Graph& g : graphs)
      if (g.hash == hash && g.is_for(waiting, count)) return &g;
    return nullptr;
  }
};
#endif
