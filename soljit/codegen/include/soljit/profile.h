// Times of the places of a program that is compiled under `soljit.profile()`: how often each ran, how long without the places that ran in it, and on how
// many threads. Programs compiled otherwise do not include this file.
#ifndef SOLJIT_PROFILE_H
#define SOLJIT_PROFILE_H
#include <time.h>
#ifndef _WIN32
#include <pthread.h>
#endif
#include "soljit/prelude.h"

// The next four are declared again in runtime/system/profile_memory.py.
struct sol_timed_place {
  int64_t calls, own;      // runs, and their nanoseconds without those of places in it
  int64_t bytes, moving;   // that its runs moved at least, and the nanoseconds of these runs; those with other places in them tell nothing
  int64_t threads;         // the most of a run
  int64_t longest, mean;   // nanoseconds of the busiest thread of each run on threads, and of a thread in the mean
};
// One for each thread of Python that made a profiled call, made there.
struct sol_timed_thread {
  int64_t number;   // as Python calls the thread
  int64_t inner;    // nanoseconds of what has ended in the place that runs now
  int64_t muted;    // a team of threads runs: what is in its loop is not timed
  int64_t kernels;  // runs of compiled functions
};
struct sol_timed_event {
  int64_t place, thread, begin, end;  // the address of the place; nanoseconds of CLOCK_MONOTONIC
};
// One a process. on: a profile is open; key: of pthreads, under which a thread keeps its `sol_timed_thread`; next: events so far, of which those beyond `room` are lost
struct sol_profile {
  int64_t on, key, room, next;
  sol_timed_event* events;
};

SOL_INLINE int64_t sol_nanoseconds() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// One run of a place, from here to the end of the scope, if it is `wanted`.
struct sol_timed {
  sol_profile* const all;
  sol_timed_place* const place;
  sol_timed_thread* thread = nullptr;  // NULL: it is not timed
  int64_t begin = 0, outer = 0, bytes = 0, busy = 0, longest = 0;
  int32_t threads = 1;
  sol_timed(void* profile, sol_timed_place* of, bool wanted = true) : all((sol_profile*)profile), place(of) {
    if (wanted && all && __atomic_load_n(&all->on, __ATOMIC_RELAXED)) start();
  }
  ~sol_timed() {
    if (thread) end();
  }
  sol_timed(const sol_timed&) = delete;
  sol_timed& operator=(const sol_timed&) = delete;
  // From now on so many threads do it.
  void team(int many) {
    if (thread && many > 1) thread->muted = 1, threads = many;
  }

 private:
  SOL_NOINLINE void start() {
#ifndef _WIN32
    sol_timed_thread* const mine = (sol_timed_thread*)pthread_getspecific((pthread_key_t)all->key);
    if (!mine || mine->muted) return;
    thread = mine;
    outer = mine->inner;
    mine->inner = 0;
    begin = sol_nanoseconds();
#endif
  }
  SOL_NOINLINE void end() {
    const int64_t now = sol_nanoseconds(), spent = now - begin;
    add(place->calls, 1);
    add(place->own, spent - thread->inner);
    if (bytes > 0 && !thread->inner) add(place->bytes, bytes), add(place->moving, spent);
    if (threads > 1) {
      thread->muted = 0;
      add(place->longest, longest);
      add(place->mean, busy / threads);
    }
    if (__atomic_load_n(&place->threads, __ATOMIC_RELAXED) < threads) __atomic_store_n(&place->threads, (int64_t)threads, __ATOMIC_RELAXED);
    thread->inner = outer + spent;
    const int64_t k = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED);
    if (k < all->room) all->events[k] = {(int64_t)place, thread->number, begin, now};
  }
  static void add(int64_t& to, int64_t n) { __atomic_fetch_add(&to, n, __ATOMIC_RELAXED); }
};

// A run of a compiled function that the dispatcher made.
struct sol_timed_kernel : sol_timed {
  sol_timed_kernel(void* profile, sol_timed_place* of) : sol_timed(profile, of) {
    if (thread) ++thread->kernels;
  }
};

// The piece of one thread of a team, from here to the end of the scope.
struct sol_timed_piece {
  sol_timed& all;
  const int64_t begin;
  sol_timed_piece(sol_timed& of) : all(of), begin(of.thread ? sol_nanoseconds() : 0) {}
  ~sol_timed_piece() {
    if (!begin) return;
    const int64_t spent = sol_nanoseconds() - begin;
    __atomic_fetch_add(&all.busy, spent, __ATOMIC_RELAXED);
    int64_t seen = __atomic_load_n(&all.longest, __ATOMIC_RELAXED);
    while (seen < spent && !__atomic_compare_exchange_n(&all.longest, &seen, spent, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
  }
};
#endif
