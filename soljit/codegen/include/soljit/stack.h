// How deep functions that call themselves may go: to shortly before the end of the thread's stack.
#ifndef SOLJIT_STACK_H
#define SOLJIT_STACK_H
#include <pthread.h>

static thread_local const char* sol_stack_end;  // NULL: not looked up yet in this thread

static __attribute__((noinline)) void sol_find_stack_end() {
  pthread_attr_t attributes;
  void* low;
  size_t size;
  const size_t reserve = 512 << 10;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    const bool known = pthread_attr_getstack(&attributes, &low, &size) == 0;
    pthread_attr_destroy(&attributes);
    if (known) {
      sol_stack_end = (const char*)low + (size / 4 < reserve ? size / 4 : reserve);
      return;
    }
  }
  sol_stack_end = (const char*)__builtin_frame_address(0) - reserve;
}
// A call of a function of the program fails: the frame remembers which.
static inline int32_t sol_through(sol_frame* frame, int32_t status, int32_t call) {
  if (frame->passed < (int32_t)(sizeof frame->through / sizeof *frame->through)) frame->through[frame->passed++] = call;
  return status;
}
#define SOL_STACK_IS_FULL() ((const char*)__builtin_frame_address(0) < sol_stack_end)
#endif
