// Threads and blocks of a launch, and the memory of a block.
#ifndef SOLJIT_EMULATOR_BLOCKS_H
#define SOLJIT_EMULATOR_BLOCKS_H
#include <deque>

#include "memory.h"

namespace fake {

struct Thread {
  enum Doing { NEW, READY, AT_BARRIER, AT_MEETING, IN_SHUFFLE, DONE } doing = NEW;
  Fiber* fiber = nullptr;
  int32_t line = 0;          // of the barrier
  void* value = nullptr;     // of the shuffle
  int32_t bytes = 0, by = 0;
};

// An array in the memory of a block.
struct SharedArray {
  const void* site = nullptr;  // its declaration; NULL: what the launch asked for
  char* data = nullptr;
  size_t bytes = 0;
  Shadow shadow;
};

struct Block {
  uint32_t at[3] = {0, 0, 0};
  uint64_t number = 0, run = 0;  // `run` tells one use of this memory from another
  uint32_t epoch = 1;            // barriers so far, and 1
  bool last = false;             // came last of all
  std::vector<Thread> threads;
  size_t done = 0;

  ~Block() {
    if (memory) munmap(memory, size());
  }
  bool begin(uint64_t block, const uint32_t* blocks, size_t width, uint64_t this_run) {
    number = block;
    at[0] = (uint32_t)(block % blocks[0]);
    at[1] = (uint32_t)(block / blocks[0] % blocks[1]);
    at[2] = (uint32_t)(block / blocks[0] / blocks[1]);
    run = this_run;
    epoch = 1;
    last = false;
    done = arrays_used = memory_used = 0;
    threads.assign(width, Thread());
    return true;
  }
  // The array of a declaration; NULL if there is no room.
  SharedArray* array(const void* site, size_t bytes, size_t most) {
    for (size_t k = 0; k < arrays_used; ++k)
      if (arrays[k].site == site) return &arrays[k];
    if (!memory) {
      void* p = mmap(nullptr, size(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (p == MAP_FAILED) return nullptr;
      memory = (char*)p;
      if (mprotect(memory + page(), size() - 2 * page(), PROT_READ | PROT_WRITE)) return nullptr;
    }
    if (bytes > most || arrays_used == MOST_ARRAYS) return nullptr;
    if (arrays_used == arrays.size()) arrays.emplace_back();
    SharedArray& a = arrays[arrays_used++];
    a.site = site;
    a.bytes = bytes;
    a.data = memory + page() + memory_used;
    memory_used += (bytes + GAP + 15) & ~(size_t)15;
    a.shadow.begin(bytes);
    memset(a.data, state().poison, bytes);
    return &a;
  }
  size_t shared_bytes() const {
    size_t n = 0;
    for (size_t k = 0; k < arrays_used; ++k) n += arrays[k].site ? arrays[k].bytes : 0;
    return n;
  }
  // The array that holds bytes, or (`n` = 0) one that lies near them.
  SharedArray* holding(uintptr_t p, size_t n) {
    const bool near = n == 0;
    for (size_t k = 0; k < arrays_used; ++k) {
      SharedArray& a = arrays[k];
      const uintptr_t low = (uintptr_t)a.data;
      if (near ? p + GAP >= low && p < low + a.bytes + GAP : p >= low && n <= a.bytes && p - low <= a.bytes - n) return &a;
    }
    return nullptr;
  }

 private:
  enum { GAP = 64, MOST_ARRAYS = 64 };  // bytes between two arrays
  static size_t size() { return 2 * page() + ((SHARED_MOST + SHARED_STATIC + MOST_ARRAYS * (GAP + 16) + page()) & ~(page() - 1)); }
  char* memory = nullptr;
  size_t memory_used = 0, arrays_used = 0;
  std::deque<SharedArray> arrays;
};
}  // namespace fake
#endif
