// Memory of the emulated device.
//
// A device address is the address of the emulator's own memory and 2 ** 50: the host cannot use it by mistake. Allocations lie between
// pages that nobody may touch, at their end or at their beginning; addresses are never given out twice.
#ifndef SOLJIT_EMULATOR_MEMORY_H
#define SOLJIT_EMULATOR_MEMORY_H
#include <errno.h>

#include <map>

#include "fibers.h"
#include "shadow.h"
#include "state.h"

namespace fake {

const uint64_t AWAY = (uint64_t)1 << 50;
const size_t ALIGNMENT = 256, RESERVE = (size_t)16 << 30;

struct Allocation {
  char* data = nullptr;
  size_t bytes = 0;
  char* pages = nullptr;
  size_t page_bytes = 0;
  bool live = true;     // still mapped
  bool given = false;   // given back by the program, perhaps by a queued free
  int64_t number = 0;
  Shadow shadow;
  uint64_t address() const { return (uint64_t)data + AWAY; }
  bool holds(uintptr_t p, size_t n) const { return p >= (uintptr_t)data && n <= bytes && p - (uintptr_t)data <= bytes - n; }
};

struct Memory {
  std::map<uintptr_t, Allocation> all;  // by address; those that were freed stay, so that they can be named
  int64_t newest = 0;  // number of an allocation

  Allocation* take(size_t bytes) {
    State& s = state();
    if ((int64_t)bytes < 0 || (int64_t)bytes > s.memory - s.counted.live_bytes) return nullptr;
    const size_t body = (bytes + page() - 1) / page() * page();
    char* const place = room(body + page());
    if (!place || mprotect(place, body, PROT_READ | PROT_WRITE)) return nullptr;
    memset(place, s.poison, body);
    Draws draws{s.seed ^ (uint64_t)newest};
    const size_t slack = s.seed && draws.below(2) ? 0 : (body - bytes) & ~(ALIGNMENT - 1);
    Allocation& a = all[(uintptr_t)place + slack];
    a.data = place + slack;
    a.bytes = bytes;
    a.pages = place;
    a.page_bytes = body;
    a.number = ++newest;
    ++s.counted.allocations;
    a.shadow.begin(bytes);
    s.counted.allocated_bytes += (int64_t)bytes;
    ++s.counted.live;
    s.counted.live_bytes += (int64_t)bytes;
    if (s.counted.live_bytes > s.counted.peak_bytes) s.counted.peak_bytes = s.counted.live_bytes;
    return &a;
  }
  // The program gives memory back, now or in order with what is queued; it counts as free at once.
  void give(Allocation& a) {
    State& s = state();
    a.given = true;
    ++s.counted.frees;
    --s.counted.live;
    s.counted.live_bytes -= (int64_t)a.bytes;
  }
  void unmap(Allocation& a) {
    a.live = false;
    a.shadow.cells.clear();
    a.shadow.written.clear();
    mmap(a.pages, a.page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  }
  // The allocation at or before an address of the emulator's own; NULL if there is none.
  Allocation* before(uintptr_t p) {
    auto it = all.upper_bound(p);
    return it == all.begin() ? nullptr : &(--it)->second;
  }
  Allocation* holding(uintptr_t p, size_t n) {
    Allocation* a = before(p);
    return a && a->holds(p, n) ? a : nullptr;
  }
  // The allocation that holds bytes at a device address, or what is wrong with them.
  Allocation* find(uint64_t at, size_t n, std::string* fault, bool queued) {
    if (at < AWAY) {
      *fault = text("host address: 0x%llx is no device address", (unsigned long long)at);
      return nullptr;
    }
    const uintptr_t p = (uintptr_t)(at - AWAY);
    Allocation* a = before(p);
    if (!a || p > (uintptr_t)a->data + a->bytes) {
      *fault = text("out of bounds: no memory of the device at 0x%llx", (unsigned long long)at);
    } else if (!a->live || (!queued && a->given)) {
      *fault = text("freed memory: allocation %lld of %zu bytes", (long long)a->number, a->bytes);
    } else if (!a->holds(p, n)) {
      *fault = text("out of bounds: %zu bytes from byte %zu on of allocation %lld, which has %zu", n, (size_t)(p - (uintptr_t)a->data),
                    (long long)a->number, a->bytes);
    } else {
      return a;
    }
    return nullptr;
  }

 private:
  // Addresses that nobody has used: behind them a page that nobody may touch.
  char* room(size_t bytes) {
    if ((size_t)(end - reserve) < bytes) {
      const size_t n = RESERVE > 2 * bytes ? RESERVE : 2 * bytes;
      void* p = mmap(nullptr, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (p == MAP_FAILED) return nullptr;
      reserve = (char*)p + page();
      end = (char*)p + n;
    }
    char* const at = reserve;
    reserve += bytes;
    return at;
  }
  char *reserve = nullptr, *end = nullptr;
};
inline Memory& memory() {
  static Memory* const m = new Memory;
  return *m;
}
}  // namespace fake
#endif
