// Who touched which bytes during a launch, and which bytes somebody has written at all.
//
// Two threads race if both touch a byte, one of them writes it, and nothing orders them: threads of one block are ordered by a barrier
// between the two accesses; threads of different blocks are ordered by a meeting of all blocks (`sol_meet`), and those of a block that came
// last after all others (`sol_last_block`). So a race is found in whatever order the threads run.
#ifndef SOLJIT_EMULATOR_SHADOW_H
#define SOLJIT_EMULATOR_SHADOW_H
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <vector>

#include "services.h"

namespace fake {

// Who touches: a thread of a block, between two barriers of the block.
struct Who {
  uint32_t block;
  uint32_t thread, epoch;
  uint64_t packed() const { return (uint64_t)block << 32 | (uint64_t)thread << 22 | (epoch & 0x3FFFFF); }
  static Who of(uint64_t w) { return {(uint32_t)(w >> 32), (uint32_t)(w >> 22) & 1023, (uint32_t)w & 0x3FFFFF}; }
};

// The thread that runs, and whose work is done before its own.
struct Self {
  Who who;
  const std::vector<bool>* finished;  // blocks before this one, which came last; NULL: it did not
  uint32_t met = 0;                   // accesses of all blocks in earlier epochs came before
  bool follows(uint64_t other) const {
    if (!other) return true;
    const Who o = Who::of(other);
    if (o.block == who.block) return o.thread == who.thread || o.epoch < who.epoch;
    return o.epoch < met || (finished && (*finished)[o.block]);
  }
};

// Two accesses of one kind that stand for all: whoever is ordered after both is ordered after all of them.
struct Pair {
  uint64_t first, second;
  void add(const Self& me) {
    const uint64_t w = me.who.packed();
    if (me.follows(first)) first = w;
    else if (!second || Who::of(first).block == Who::of(second).block) second = w;
  }
  // Somebody before whom this thread does not come, nor after; 0: nobody.
  uint64_t unordered(const Self& me) const { return !me.follows(first) ? first : !me.follows(second) ? second : 0; }
};

struct Cell {
  uint64_t run;  // the launch, or the run of a block, that the rest is about
  uint64_t writer;
  Pair readers, changers;
};

struct Clash {
  uint64_t other = 0;
  const char* did = "";  // what the other one did
};

// Memory that costs nothing before it is used.
template <class T> struct Lazy {
  T* data = nullptr;
  size_t count = 0;
  Lazy() = default;
  Lazy(const Lazy&) = delete;
  Lazy& operator=(const Lazy&) = delete;
  ~Lazy() { clear(); }
  void clear() {
    if (data) munmap(data, count * sizeof(T));
    data = nullptr;
  }
  bool make(size_t n) {
    void* p = mmap(nullptr, n * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return false;
    data = (T*)p;
    count = n;
    return true;
  }
  void swap(Lazy& o) {
    std::swap(data, o.data);
    std::swap(count, o.count);
  }
};

struct Shadow {
  size_t bytes = 0, grain = 8;  // bytes of a cell: as few as any access has needed
  bool all_written = false;
  Lazy<Cell> cells;
  Lazy<unsigned char> written;

  void begin(size_t n) {
    bytes = n;
    all_written = false;
    if (written.data && written.count >= n) memset(written.data, 0, n);
    else written.clear();
  }
  void wrote(size_t at, size_t n) {
    if (all_written) return;
    if (at == 0 && n == bytes) {
      all_written = true;
      return;
    }
    if (!written.data && !written.make(bytes)) all_written = true;
    else memset(written.data + at, 1, n);
  }
  bool is_written(size_t at, size_t n) const {
    if (all_written) return true;
    if (!written.data) return false;
    for (size_t k = 0; k < n; ++k)
      if (!written.data[at + k]) return false;
    return true;
  }
  void copy_written(size_t at, const Shadow& from, size_t from_at, size_t n) {
    if (from.all_written) return wrote(at, n);
    for (size_t k = 0; k < n; ++k) {
      if (from.is_written(from_at + k, 1)) wrote(at + k, 1);
      else forget(at + k);
    }
  }
  // Note an access, and tell with whom it races.
  Clash touch(size_t at, size_t n, int access, const Self& me, uint64_t run) {
    if ((at | n) & (grain - 1) || !cells.data || cells.count * grain < bytes) refine(at | n);
    Clash clash;
    for (size_t k = at / grain, end = (at + n) / grain; k < end; ++k) {
      Cell& c = cells.data[k];
      if (c.run != run) {
        c = Cell();
        c.run = run;
      }
      if (!me.follows(c.writer)) clash = {c.writer, "writes"};
      if (access != SOL_CHANGES)
        if (const uint64_t o = c.changers.unordered(me)) clash = {o, "changes"};
      if (access != SOL_READS)
        if (const uint64_t o = c.readers.unordered(me)) clash = {o, "reads"};
      if (access == SOL_READS) c.readers.add(me);
      else if (access == SOL_WRITES) c.writer = me.who.packed();
      else c.changers.add(me);
    }
    return clash;
  }

 private:
  void forget(size_t at) {
    if (all_written) {
      all_written = false;
      if (written.data || written.make(bytes)) memset(written.data, 1, bytes);
    }
    if (written.data) written.data[at] = 0;
  }
  // Smaller cells: each takes over what its larger one knew.
  void refine(size_t odd) {
    size_t g = grain;
    while (odd & (g - 1)) g /= 2;
    Lazy<Cell> fine;
    if (!fine.make((bytes + g - 1) / g)) abort();
    if (cells.data)
      for (size_t k = 0; k < fine.count && k * g / grain < cells.count; ++k)
        if (cells.data[k * g / grain].run) fine.data[k] = cells.data[k * g / grain];
    cells.swap(fine);
    grain = g;
  }
};
}  // namespace fake
#endif
