// Blocks of a device's memory that are free, and kept for later. All work is on one stream, in order: a block is used again at once, though what is queued
// may still use it. The driver is not asked, which takes its time for large blocks.
//
// A block is used again for what is at most an eighth smaller. Of several that fit the smallest one is taken, and of equal ones the one that was given
// back last, of which most may be in the device's cache.
#ifndef SOLJIT_BLOCKS_H
#define SOLJIT_BLOCKS_H
#include <stdint.h>

#include <iterator>
#include <map>

struct FreeBlocks {
  enum : int64_t { SMALLEST = 512, LARGE = 16 << 20, PAGE = 2 << 20 };
  struct Block { uint64_t at, turn; };

  std::multimap<int64_t, Block> all;  // by size
  int64_t bytes = 0;
  uint64_t turn = 0;

  // How large a block for so many bytes is: a multiple of an eighth of a power of two, or of a page of the device.
  static int64_t rounded(int64_t bytes) {
    int64_t step = SMALLEST;
    if (bytes >= LARGE) step = PAGE;
    else while (step * 16 <= bytes) step *= 2;
    return (bytes + step - 1) / step * step;
  }

  // Take a block for `size` bytes, as `rounded` tells, and tell its size; 0: there is none.
  int64_t take(int64_t size, uint64_t* at) {
    const auto first = all.lower_bound(size);
    if (first == all.end() || first->first - size > size / 8) return 0;
    const auto last = std::prev(all.upper_bound(first->first));
    const int64_t found = last->first;
    *at = last->second.at;
    bytes -= found;
    all.erase(last);
    return found;
  }

  void give(uint64_t at, int64_t size) {
    all.emplace(size, Block{at, ++turn});
    bytes += size;
  }

  // Take out the block that was given back before all others; there is one.
  uint64_t take_oldest() {
    auto oldest = all.begin();
    for (auto k = all.begin(); k != all.end(); ++k)
      if (k->second.turn < oldest->second.turn) oldest = k;
    const uint64_t at = oldest->second.at;
    bytes -= oldest->first;
    all.erase(oldest);
    return at;
  }
};
#endif
