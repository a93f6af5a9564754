// Streams and events: what is queued runs when somebody waits for it, and not before.
//
// A real device may be as late as that, so whoever forgets to wait sees it. A question whether an event has happened lets one operation
// run: asking often enough helps. Work of the default stream waits for all streams that did not ask to be left alone, and they for it.
#ifndef SOLJIT_EMULATOR_STREAMS_H
#define SOLJIT_EMULATOR_STREAMS_H
#include <functional>
#include <set>

#include "checks.h"

namespace fake {

struct Stream {
  bool blocking = true;
  std::deque<std::function<CUresult()>> queue;
};

struct Event {
  Stream* stream = nullptr;
  bool pending = false;
  uint64_t record = 0;  // which of its records
};

struct Streams {
  Stream first;  // the default stream
  std::set<Stream*> others;
  std::set<Event*> events;

  Stream* of(void* handle) {  // NULL: there is no such stream
    if (!handle || handle == (void*)1 || handle == (void*)2) return &first;
    return others.count((Stream*)handle) ? (Stream*)handle : nullptr;
  }
  void step(Stream& s) {
    const auto work = std::move(s.queue.front());
    s.queue.pop_front();
    if (state().broken && !state().survives) return;
    const CUresult failed = work();
    if (failed && !state().broken) state().broken = failed;
  }
  void run(Stream& s) {
    while (!s.queue.empty()) step(s);
  }
  CUresult drain(Stream& s) {
    run(s);
    return told();
  }
  CUresult drain() {
    run(first);
    for (Stream* s : others) run(*s);
    return told();
  }
  // One more operation before an event; nothing is before it if the queue was forgotten.
  void approach(Event& e) {
    if (!e.stream || e.stream->queue.empty()) e.pending = false;
    else step(*e.stream);
  }
  void push(Stream& s, std::function<CUresult()> work) {
    if (&s == &first) {
      for (Stream* o : others)
        if (o->blocking) run(*o);
    } else if (s.blocking) {
      run(first);
    }
    s.queue.push_back(std::move(work));
    if (!state().defer) run(s);
  }
};
inline Streams& streams() {
  static Streams* const s = new Streams;
  return *s;
}
}  // namespace fake
#endif
