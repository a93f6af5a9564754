// Threads that move memory of the host together, as one cannot do it as fast as a device takes it. They begin when the first large transfer wants them,
// look for more work for a moment, and then sleep. A forked child has none, and begins its own.
#ifndef SOLJIT_CREW_H
#define SOLJIT_CREW_H
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

class Crew {
  enum : int64_t { PIECE = 1 << 18 };  // bytes that a thread takes at a time
  enum { MOST = 8, MOMENT = 100 };     // threads with the caller's; microseconds
  using Act = void (*)(void* with, int64_t lo, int64_t hi);

  std::mutex turn;  // one caller at a time has the others' help
  std::mutex lock;  // of what follows
  std::condition_variable wake;
  Act act = nullptr;
  void* with = nullptr;
  int64_t bytes = 0, next = 0, count = 0;  // of the job: pieces
  std::atomic<int64_t> left{0};            // pieces that are not done
  std::atomic<uint64_t> job{0};            // how many there were
  int asleep = 0, helpers = -1;            // -1: not begun yet

  static void pause(int turn) {
#if defined(__x86_64__) || defined(__i386__)
    if (turn & 63) return __builtin_ia32_pause();
#endif
    sched_yield();
    (void)turn;
  }

  // Do one piece; false if none is left.
  bool do_piece(std::unique_lock<std::mutex>& locked) {
    if (next == count) return false;
    const int64_t lo = PIECE * next++, hi = std::min(bytes, lo + PIECE);
    const Act does = act;
    void* const it = with;
    locked.unlock();
    does(it, lo, hi);
    left.fetch_sub(1, std::memory_order_release);
    locked.lock();
    return true;
  }

  bool comes_soon(uint64_t seen) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(MOMENT);
    for (int turn = 1; job == seen; turn++) {
      if (turn % 64 == 0 && std::chrono::steady_clock::now() > end) return false;
      pause(turn);
    }
    return true;
  }

  void help() {
    std::unique_lock<std::mutex> locked(lock);
    for (;;) {
      while (do_piece(locked)) {}
      const uint64_t seen = job;
      locked.unlock();
      const bool soon = comes_soon(seen);
      locked.lock();
      if (soon) continue;
      asleep++;
      wake.wait(locked, [&] { return job != seen; });
      asleep--;
    }
  }

  // Begin the others, as many as there are processors for, and let none of them get the process's signals, but those of their own faults: who protects
  // memory and has a handler for it is asked in any thread.
  void begin() {
    cpu_set_t mine;
    CPU_ZERO(&mine);
    const int cores = sched_getaffinity(0, sizeof mine, &mine) ? 1 : CPU_COUNT(&mine);
    sigset_t all, before;
    sigfillset(&all);
    for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, own);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    helpers = 0;
    try {
      for (; helpers < std::min<int>(cores, MOST) - 1; helpers++) std::thread([this] { help(); }).detach();
    } catch (const std::system_error&) {  // then with those that there are
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

 public:
  // Call `action(lo, hi)` for pieces of `size` bytes, at the same time, and wait until all are done.
  template <class Action>
  void run(int64_t size, Action&& action) {
    std::unique_lock<std::mutex> mine(turn, std::defer_lock);
    if (size <= PIECE || !mine.try_lock()) return action((int64_t)0, size);
    if (helpers < 0) begin();
    if (!helpers) return action((int64_t)0, size);
    std::unique_lock<std::mutex> locked(lock);
    act = [](void* it, int64_t lo, int64_t hi) { (*(std::remove_reference_t<Action>*)it)(lo, hi); };
    with = (void*)&action;
    bytes = size;
    next = 0;
    left = count = (size + PIECE - 1) / PIECE;
    job++;
    if (asleep) wake.notify_all();
    while (do_piece(locked)) {}
    locked.unlock();
    for (int turn = 1; left.load(std::memory_order_acquire); turn++) pause(turn);
  }

  void copy(void* to, const void* from, int64_t size) {
    run(size, [&](int64_t lo, int64_t hi) { memcpy((char*)to + lo, (const char*)from + lo, (size_t)(hi - lo)); });
  }

  bool are_equal(const void* a, const void* b, int64_t size) {
    std::atomic<bool> equal{true};
    run(size, [&](int64_t lo, int64_t hi) {
      if (equal && memcmp((const char*)a + lo, (const char*)b + lo, (size_t)(hi - lo))) equal = false;
    });
    return equal;
  }
};
static Crew* crew = new Crew;  // never destroyed: its threads run until the process ends
#endif
