// Memory that temporaries have left, kept for the next ones. Memory that is new to the process costs a page fault for
// each page, which can take longer than the work that is done with it; and malloc gives large blocks back at once.
//
// At most POOL_BLOCKS blocks with POOL_BYTES in all are kept. Who does not get the lock at once does without the pool.
#ifndef SOLJIT_POOL_H
#define SOLJIT_POOL_H
#include <stdint.h>
#include <stdlib.h>

static const int POOL_BLOCKS = 64;
static const int64_t POOL_BYTES = (int64_t)64 << 20;
static struct { void* data; int64_t bytes; } pool[POOL_BLOCKS];
static int64_t pool_bytes;
static int pool_next;  // which block goes first when there is no room
static bool pool_locked;

// The smallest block that fits and is not much too large.
static void* pool_take(int64_t bytes, int64_t* got) {
  if (__atomic_test_and_set(&pool_locked, __ATOMIC_ACQUIRE)) return nullptr;
  int best = -1;
  for (int k = 0; k < POOL_BLOCKS; ++k) {
    const int64_t n = pool[k].bytes;
    if (pool[k].data && n >= bytes && n - bytes <= bytes / 4 && (best < 0 || n < pool[best].bytes)) best = k;
  }
  void* data = nullptr;
  if (best >= 0) {
    data = pool[best].data;
    *got = pool[best].bytes;
    pool_bytes -= pool[best].bytes;
    pool[best].data = nullptr;
  }
  __atomic_clear(&pool_locked, __ATOMIC_RELEASE);
  return data;
}

static void pool_give(void* data, int64_t bytes) {
  if (!data || bytes > POOL_BYTES || __atomic_test_and_set(&pool_locked, __ATOMIC_ACQUIRE)) return free(data);
  int place = -1;
  for (int k = 0; k < POOL_BLOCKS && place < 0; ++k)
    if (!pool[k].data) place = k;
  while (place < 0 || pool_bytes + bytes > POOL_BYTES) {
    const int k = pool_next;
    pool_next = (pool_next + 1) % POOL_BLOCKS;
    if (!pool[k].data) continue;
    free(pool[k].data);
    pool_bytes -= pool[k].bytes;
    pool[k].data = nullptr;
    place = k;
  }
  pool[place] = {data, bytes};
  pool_bytes += bytes;
  __atomic_clear(&pool_locked, __ATOMIC_RELEASE);
}
#endif
