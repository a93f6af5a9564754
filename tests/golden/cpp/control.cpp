// control, compiled by soljit.
#include "soljit/prelude.h"
#include "soljit/look.h"
#include "soljit/real.h"

extern "C" { SOL_EXPORT extern const char* const sol_imports[] = {nullptr}; }
extern "C" { SOL_EXPORT void* sol_slots[1] = {}; }

SOL_NOINLINE static int32_t control_main(sol_frame* frame, int64_t* out, const int64_t n, const double c) {
  int64_t left = SOL_LOOK;
  int64_t s;
  double f;
  uint8_t u_few[3] = {};
  uint8_t* const __restrict u = u_few;
  s = 0;
  f = SOL_INF(double);
  while (s < n) {
    if (SOL_UNLIKELY((left -= 24) < 0) && !(left = sol_look(frame, 0))) return SOL_PYTHON;
    s = sol_add<int64_t>(s, 1);
    if (s == 5) {
      break;
    }
    if (sol_mod<int64_t>(s, 2) == 0) {
      continue;
    }
    f = sol_min(f, c * (double)s);
    u[sol_mod<int64_t>(s, 3)] = u[sol_mod<int64_t>(s, 3)] | 4;
  }
  for (int64_t i = n; i > -1; i += -2) {
    f = sol_max(f, ((i > 2) && (c > 0.0)) ? (double)i : -c);
    if (SOL_UNLIKELY((left -= 7) < 0) && !(left = sol_look(frame, 0))) return SOL_PYTHON;
  }
  if (SOL_UNLIKELY((f != f) || !(s <= 3))) {
    sol_put<double>(frame->operands + 0, f);
    sol_put<int64_t>(frame->operands + 1, sol_add<int64_t>(s, 1));
    return frame->place = 1, SOL_RAISE;
  }
  if (SOL_UNLIKELY(s == -7)) {
    return frame->place = 2, SOL_RAISE;
  }
  sol_put<int64_t>(out + 0, s);
  sol_put<double>(out + 1, f);
  return SOL_OK;
}

extern "C" SOL_EXPORT int32_t sol_kernel(sol_frame* frame) {
  const int64_t* const in = frame->in;
  sol_clean_registers();
  return control_main(frame, frame->out, sol_get<int64_t>(in + 0), sol_get<double>(in + 1));
}

extern "C" SOL_EXPORT int32_t sol_guard(const int64_t* in) {
  return true;
}
