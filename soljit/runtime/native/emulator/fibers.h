// Stacks on which threads of kernels run, and the switch between them.
#ifndef SOLJIT_EMULATOR_FIBERS_H
#define SOLJIT_EMULATOR_FIBERS_H
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <vector>

#ifndef SOL_OWN_SWITCH
#if defined(__x86_64__) && defined(__linux__)
#define SOL_OWN_SWITCH 1
#else
#define SOL_OWN_SWITCH 0
#endif
#endif
#if SOL_OWN_SWITCH
// Keep the registers that a function must keep and the stack's place, and take those of another fiber.
extern "C" __attribute__((visibility("hidden"))) void sol_fiber_switch(void** from, void* to);
asm(R"(
.text
.globl sol_fiber_switch
.hidden sol_fiber_switch
.type sol_fiber_switch,@function
sol_fiber_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size sol_fiber_switch,.-sol_fiber_switch
)");
#else
#include <ucontext.h>
#endif

namespace fake {

const size_t STACK = 256 << 10;
inline size_t page() {
  static const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
  return bytes;
}

struct Fiber {
  char* stack = nullptr;  // its lowest page is a guard
  size_t shift = 0;       // of where it begins: stacks of many fibers would else meet in the same places of the caches
#if SOL_OWN_SWITCH
  void* at = nullptr;
#else
  ucontext_t at;
#endif
  Fiber() = default;
  Fiber(const Fiber&) = delete;
  ~Fiber() {
    if (stack) munmap(stack, STACK);
  }
  bool make(size_t number) {
    shift = number % 61 * 192;
    void* p = mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return false;
    stack = (char*)p;
    return mprotect(stack, page(), PROT_NONE) == 0;
  }
  bool holds(uintptr_t p) const { return p - (uintptr_t)stack < STACK; }
  // Begin anew: what the fiber did before is forgotten.
  void begin(void (*entry)()) {
#if SOL_OWN_SWITCH
    void** sp = (void**)(stack + STACK - shift);
    *--sp = nullptr;
    *--sp = (void*)entry;
    for (int k = 0; k < 6; ++k) *--sp = nullptr;
    at = sp;
#else
    getcontext(&at);
    at.uc_stack.ss_sp = stack + page();
    at.uc_stack.ss_size = STACK - page() - shift;
    at.uc_link = nullptr;
    makecontext(&at, entry, 0);
#endif
  }
};

inline void change(Fiber& from, Fiber& to) {
#if SOL_OWN_SWITCH
  sol_fiber_switch(&from.at, to.at);
#else
  swapcontext(&from.at, &to.at);
#endif
}
}  // namespace fake
#endif
