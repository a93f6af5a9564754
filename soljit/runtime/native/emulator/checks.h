// What kernels ask of the emulator while they run, and what it finds wrong with them.
#ifndef SOLJIT_EMULATOR_CHECKS_H
#define SOLJIT_EMULATOR_CHECKS_H
#include <signal.h>

#include "launch.h"

namespace fake {

// The name of the k-th parameter in the text of a declaration.
inline std::string parameter(const char* text_of_all, int k) {
  std::string all = text_of_all;
  size_t begin = 0;
  for (; k > 0 && begin != std::string::npos; --k) begin = all.find(',', begin), begin += begin != std::string::npos;
  if (begin == std::string::npos) return "?";
  const size_t end = all.find(',', begin);
  all = all.substr(begin, end == std::string::npos ? end : end - begin);
  while (!all.empty() && (all.back() == ' ' || all.back() == '\n')) all.pop_back();
  const size_t at = all.find_last_of(" *&\n");
  return at == std::string::npos ? all : all.substr(at + 1);
}

inline const char* verb(int access) { return access == SOL_READS ? "reads" : access == SOL_WRITES ? "writes" : "changes"; }

inline std::string code_place(const Launch& l, const void* from) {
  const Image& image = *l.job.kernel->image;
  const char* const stem = strrchr(image.made_of, ' ');
  return text(" [code +0x%llx of %s]", (unsigned long long)((uintptr_t)from - 1 - image.low), stem ? stem + 1 : "?");
}

inline std::string argument_name(const Launch& l, const Allocation& a) {
  for (auto& r : l.reached)
    if (r.first == &a) return parameter(l.job.kernel->as->parameters, r.second);
  return "";
}

// What is wrong with bytes that are neither the kernel's nor its block's.
inline std::string why_outside(Launch& l, uintptr_t p, size_t n, int access) {
  const char* const does = verb(access);
  if (p < 4096) return text("null pointer: %s %zu bytes at %llu", does, n, (unsigned long long)p);
  if (p >= AWAY) return text("host address: %s %zu bytes at 0x%llx", does, n, (unsigned long long)(p - AWAY));
  if (l.job.kernel->image->holds(p, n)) return text("static variable: %s %zu bytes of the image", does, n);
  if (const SharedArray* s = l.block ? l.block->holding(p, 0) : nullptr) {
    return text("out of bounds: %s %zu bytes at byte %lld of an array of the block, which has %zu", does, n,
                (long long)(p - (uintptr_t)s->data), s->bytes);
  }
  Allocation* a = memory().before(p);
  if (a && !a->live && p < (uintptr_t)a->data + a->bytes) {
    return text("freed memory: %s %zu bytes at byte %lld of allocation %lld", does, n, (long long)(p - (uintptr_t)a->data), (long long)a->number);
  }
  if (a && a->live && a->holds(p, n)) {
    return text("foreign allocation: %s %zu bytes of allocation %lld, to which no argument leads", does, n, (long long)a->number);
  }
  const Allocation* nearest = nullptr;
  long long offset = 0;
  for (auto& r : l.reached) {
    const long long here = (long long)(p - (uintptr_t)r.first->data);
    const long long far = here < 0 ? -here : here, before = offset < 0 ? -offset : offset;
    if (!nearest || far < before) nearest = r.first, offset = here;
  }
  if (nearest && offset > -(1ll << 30) && offset < (1ll << 30) + (long long)nearest->bytes) {
    return text("out of bounds: %s %zu bytes at byte %lld of `%s`, which has %zu", does, n, offset, argument_name(l, *nearest).c_str(),
                nearest->bytes);
  }
  return text("host address: %s %zu bytes at 0x%llx", does, n, (unsigned long long)p);
}

inline void touch(const void* at, int64_t bytes, int32_t access, int32_t align, const void* from) {
  Launch& l = *running;
  const uintptr_t p = (uintptr_t)at;
  const size_t n = (size_t)bytes;
  if (!l.checked || n == 0 || l.fiber->holds(p)) return;
  Allocation* a = nullptr;
  for (auto& r : l.reached) {
    if (r.first->holds(p, n)) {
      a = r.first;
      break;
    }
  }
  SharedArray* const shared = a ? nullptr : l.block->holding(p, n);
  if (!a && !shared) {
    if (access == SOL_READS && l.job.kernel->image->holds(p, n)) return;  // a constant
    l.stop(CUDA_ERROR_ILLEGAL_ADDRESS, why_outside(l, p, n, access) + code_place(l, from));
  }
  Shadow& shadow = a ? a->shadow : shared->shadow;
  const size_t offset = p - (uintptr_t)(a ? a->data : shared->data);
  auto where = [&] {
    return text(" %zu bytes at byte %zu of %s", n, offset, a ? ("`" + argument_name(l, *a) + "`").c_str() : "an array of the block");
  };
  if (align > 1 && p % (size_t)align) {
    l.stop(CUDA_ERROR_MISALIGNED_ADDRESS, std::string("misaligned: ") + verb(access) + where() + code_place(l, from));
  }
  if (access != SOL_WRITES && state().check_unwritten && !shadow.is_written(offset, n)) {
    l.read_unwritten(std::string("unwritten: ") + verb(access) + where() + ", which nobody has written" + code_place(l, from));
  }
  const Clash clash = shadow.touch(offset, n, access, l.self(), a ? state().launch : l.block->run);
  if (clash.other) {
    l.stop(CUDA_ERROR_LAUNCH_FAILED, std::string("race: ") + verb(access) + where() + ", which " + l.who(clash.other) + " " + clash.did +
                                         ", and nothing orders them" + code_place(l, from));
  }
  if (access != SOL_READS) shadow.wrote(offset, n);
}

// --- the services -----------------------------------------------------------------------------------------------------

inline void at_barrier(int32_t line) {
  running->thread->line = line;
  running->wait(Thread::AT_BARRIER);
}
inline void all_meet(int32_t line) {
  if (!running->job.together && running->grid > 1) {
    running->stop(CUDA_ERROR_LAUNCH_FAILED, "deadlock: blocks wait for each other that were not launched so");
  }
  running->thread->line = line;
  running->wait(Thread::AT_MEETING);
}
inline void shuffle_down(void* value, int32_t bytes, int32_t by) {
  Thread& t = *running->thread;
  if (bytes > 64) running->stop(CUDA_ERROR_LAUNCH_FAILED, "a shuffle of more than 64 bytes");
  t.value = value;
  t.bytes = bytes;
  t.by = by;
  running->wait(Thread::IN_SHUFFLE);
}
inline void* shared_array(const void* site, int64_t bytes) {
  Block& b = *running->block;
  SharedArray* a = b.array(site, (size_t)bytes, SHARED_STATIC);
  if (!a || b.shared_bytes() > SHARED_STATIC) {
    running->stop(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, text("shared memory: a block declares more than %d bytes", (int)SHARED_STATIC));
  }
  return a->data;
}
inline void* shared_later(int64_t at) {
  const uint32_t asked = running->job.shared;
  if (at < 0 || at > asked) {
    running->stop(CUDA_ERROR_ILLEGAL_ADDRESS, text("out of bounds: byte %lld of the %u bytes of a block that the launch asked for", (long long)at, asked));
  }
  return running->block->array(nullptr, asked, SHARED_MOST)->data + at;
}
inline uint32_t ticket(uint32_t* p, uint32_t n) { return running->ticket(p, n); }
inline void pause() { running->pause(); }

inline const sol_emulator services = {&here, &state().ulps, at_barrier, all_meet, shuffle_down, shared_array, shared_later, ticket, pause, touch};

// --- what the processor finds wrong -------------------------------------------------------------------------------------

// While kernels run, a bad address or a division by zero ends the launch and not the process.
struct Traps {
  Traps() {
    inside = true;
    stack_t own = {};
    own.ss_sp = stack;
    own.ss_size = sizeof(stack);
    sigaltstack(&own, &old_stack);
    struct sigaction by = {};
    by.sa_sigaction = handle;
    by.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    for (int k = 0; k < 3; ++k) sigaction(signals[k], &by, &old[k]);
  }
  ~Traps() {
    for (int k = 0; k < 3; ++k) sigaction(signals[k], &old[k], nullptr);
    sigaltstack(&old_stack, nullptr);
    inside = false;
  }

 private:
  static constexpr int signals[3] = {SIGSEGV, SIGBUS, SIGFPE};
  static inline struct sigaction old[3];
  static inline thread_local bool inside = false;
  alignas(16) static inline char stack[64 << 10];
  stack_t old_stack = {};

  static void handle(int signal, siginfo_t* info, void*) {
    Launch* const l = running;
    if (!inside || !l || !l->thread) {  // somebody else's: as before
      for (int k = 0; k < 3; ++k) sigaction(signals[k], &old[k], nullptr);
      return;
    }
    const uintptr_t p = (uintptr_t)info->si_addr;
    if (signal == SIGFPE) l->stop(CUDA_ERROR_LAUNCH_FAILED, "integer division by zero, or its quotient does not fit");
    if (l->fiber->holds(p)) l->stop(CUDA_ERROR_LAUNCH_FAILED, "stack: a thread has more local variables than the emulator has room for");
    const bool told = info->si_code > 0 && info->si_code < 0x80;  // else the kernel says 0 for an address that no memory could have
    if (p == 0 && !told) l->stop(CUDA_ERROR_ILLEGAL_ADDRESS, "host address: or another that no argument leads to");
    l->stop(CUDA_ERROR_ILLEGAL_ADDRESS, why_outside(*l, p, 1, SOL_READS));
  }
};

// Run a job that waited in a queue.
inline CUresult run(const Job& job) {
  ++state().launch;
  Launch launch(job);
  Launch* const before = running;
  running = &launch;
  CUresult failed;
  {
    Traps traps;
    failed = launch.run();
  }
  running = before;
  return failed;
}
}  // namespace fake
#endif
