// The entry points that g++ calls at each access with -fsanitize=thread. They lead to the emulator; the library that belongs to that
// flag is not linked.
#ifndef SOLJIT_EMULATOR_HOOKS_H
#define SOLJIT_EMULATOR_HOOKS_H

#define SOL_HOOK extern "C" __attribute__((visibility("hidden"), no_sanitize("thread"), used)) void
#define SOL_TOUCH(p, bytes, access, align) sol_emulated->touch(p, (int64_t)(bytes), access, align, __builtin_return_address(0))
#define SOL_HOOKS(n)                                                              \
  SOL_HOOK __tsan_read##n(void* p) { SOL_TOUCH(p, n, SOL_READS, n); }             \
  SOL_HOOK __tsan_write##n(void* p) { SOL_TOUCH(p, n, SOL_WRITES, n); }           \
  SOL_HOOK __tsan_volatile_read##n(void* p) { SOL_TOUCH(p, n, SOL_READS, n); }    \
  SOL_HOOK __tsan_volatile_write##n(void* p) { SOL_TOUCH(p, n, SOL_WRITES, n); }
#define SOL_HOOKS_UNALIGNED(n)                                                    \
  SOL_HOOK __tsan_unaligned_read##n(void* p) { SOL_TOUCH(p, n, SOL_READS, 1); }   \
  SOL_HOOK __tsan_unaligned_write##n(void* p) { SOL_TOUCH(p, n, SOL_WRITES, 1); }
SOL_HOOKS(1) SOL_HOOKS(2) SOL_HOOKS(4) SOL_HOOKS(8) SOL_HOOKS(16)
SOL_HOOKS_UNALIGNED(2) SOL_HOOKS_UNALIGNED(4) SOL_HOOKS_UNALIGNED(8) SOL_HOOKS_UNALIGNED(16)
SOL_HOOK __tsan_read_range(void* p, long n) { SOL_TOUCH(p, n, SOL_READS, 1); }
SOL_HOOK __tsan_write_range(void* p, long n) { SOL_TOUCH(p, n, SOL_WRITES, 1); }
SOL_HOOK __tsan_func_entry(void*) {}
SOL_HOOK __tsan_func_exit() {}
SOL_HOOK __tsan_init() {}
#undef SOL_HOOKS
#undef SOL_HOOKS_UNALIGNED
#endif
