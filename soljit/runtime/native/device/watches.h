// What is known of the host's memory where the device has a copy of it: which bytes may have changed since they were copied.
//
// One table for all devices, since a look at pages makes the kernel forget what it knew of them: what it says is told to every watch that
// concerns these pages. What is not proved to be as it was counts as changed. Proofs are the tracker's word and the user's (`sol.freeze`).
#ifndef SOLJIT_WATCHES_H
#define SOLJIT_WATCHES_H
#include <mutex>

#include "intervals.h"
#include "tracker.h"

enum : int64_t {
  LEAST_TRACKED = 1 << 16,  // bytes of an array; smaller ones share their pages with others, and are sent in no time
  FIRST_PAUSE = 8,          // calls for which an array is not tracked that was written again and again
  LONGEST_PAUSE = 1024
};

// A copy of the bytes from `lo` up to `hi`. Where `changed` does not say so, they are equal to the copy, or the next look will tell.
struct Watch {
  const uintptr_t lo, hi;
  Intervals changed;
  bool tracked = false;
  bool trusted = true;   // false: somebody may write without the pages being touched
  bool fresh = true;     // no look since it is tracked
  int in_a_row = 0;      // looks that found most of it written
  int64_t pause = 0, length = 0;
  Watch(uintptr_t from, uintptr_t to) : lo(from), hi(to), changed(from, to) {}
};

// The user's promise that bytes do not change.
struct Promise {
  int64_t number;
  uintptr_t lo, hi;
  bool checked;
  uint64_t sum;
};

enum Proof { CHANGED, KNOWN, BROKEN };  // what a look finds: see `changed`; the same; a promise was not kept

class Watches {
  std::mutex lock;
  std::vector<Watch*> all;
  std::vector<Promise> promises;
  int64_t last_promise = 0;
  Tracker tracker;
  bool opened = false, allowed = true;

  static uint64_t sum_of(uintptr_t lo, uintptr_t hi) {
    uint64_t sum = hi - lo;
    for (; lo < hi; lo += 8) {
      uint64_t word = 0;
      memcpy(&word, (const void*)lo, std::min<size_t>(8, hi - lo));
      sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
      sum ^= sum >> 29;
    }
    return sum;
  }

  const Promise* promise_for(uintptr_t lo, uintptr_t hi) const {
    for (const Promise& p : promises)
      if (p.lo <= lo && hi <= p.hi) return &p;
    return nullptr;
  }

  bool can_track() {
    if (allowed && !opened) {
      opened = true;
      tracker.open();
    }
    return allowed && tracker.on();
  }

  void tell(uintptr_t lo, uintptr_t hi, const Watch* but = nullptr) {
    for (Watch* w : all)
      if (w != but) w->changed.add(std::max(lo, w->lo), std::min(hi, w->hi));
  }

  // Ask the tracker about bytes of a watch; all watches are told. False if it does not know.
  bool scan(const Watch& w, uintptr_t lo, uintptr_t hi, bool arm, int64_t* bytes) {
    std::vector<Interval> pages;
    const bool known = tracker.scan(tracker.down(lo), tracker.up(hi), arm, pages);
    *bytes = 0;
    for (const Interval& p : pages) {
      tell(p.lo, p.hi);
      *bytes += (int64_t)(std::min(p.hi, w.hi) - std::max(p.lo, w.lo));
    }
    return known;
  }

  bool start_tracking(Watch& w) {
    if ((int64_t)(w.hi - w.lo) < LEAST_TRACKED || !can_track()) return false;
    w.tracked = tracker.cover(tracker.down(w.lo), tracker.up(w.hi));
    w.fresh = true;
    w.changed.add(w.lo, w.hi);
    return w.tracked;
  }

  void stop_tracking(Watch& w) {
    w.changed.add(w.lo, w.hi);
    if (!w.tracked) return;
    w.tracked = false;
    if (!tracker.on()) return;
    Intervals alone(tracker.down(w.lo), tracker.up(w.hi));
    for (const Watch* other : all)
      if (other->tracked) alone.remove(tracker.down(other->lo), tracker.up(other->hi));
    for (const Interval& i : alone) tracker.uncover(i.lo, i.hi);
  }

  // Arm what was written from `lo` up to `hi`, and note it, unless it is written again and again.
  void look_at_pages(Watch& w, uintptr_t lo, uintptr_t hi) {
    if (w.pause > 0) {
      w.pause--;
      w.changed.add(lo, hi);
      return;
    }
    int64_t written = 0;
    const auto most = [&] { return 2 * written > (int64_t)(hi - lo); };
    if (w.in_a_row == 1 && scan(w, lo, hi, false, &written) && most()) {
      w.in_a_row = 0;
      w.pause = w.length = w.length ? std::min<int64_t>(2 * w.length, LONGEST_PAUSE) : FIRST_PAUSE;
      w.changed.add(lo, hi);
      return;
    }
    if (!w.trusted || !scan(w, lo, hi, true, &written)) {
      stop_tracking(w);
      w.trusted = true;
      if (!start_tracking(w) || !scan(w, lo, hi, true, &written)) return stop_tracking(w);
    }
    if (!w.fresh && most()) w.in_a_row = 1;
    else if (!w.fresh) w.in_a_row = 0, w.length = 0;
    w.fresh = false;
    if (written && tracker.others_pin()) w.trusted = false;  // who pinned before it was armed may write later
  }

 public:
  void add(Watch& w) {
    std::lock_guard<std::mutex> locked(lock);
    all.push_back(&w);
  }

  void remove(Watch& w) {
    std::lock_guard<std::mutex> locked(lock);
    all.erase(std::remove(all.begin(), all.end(), &w), all.end());
    stop_tracking(w);
  }

  // Could a copy of these bytes be of use later?
  bool is_worthwhile(uintptr_t lo, uintptr_t hi) {
    std::lock_guard<std::mutex> locked(lock);
    return promise_for(lo, hi) || ((int64_t)(hi - lo) >= LEAST_TRACKED && can_track());
  }
  bool is_of_use(const Watch& w) {
    std::lock_guard<std::mutex> locked(lock);
    return w.tracked || promise_for(w.lo, w.hi);
  }

  // What of these bytes of a watch has to be copied, so that the copy is equal to the host as of now, or later; whoever asks copies it then.
  Proof look(Watch& w, uintptr_t lo, uintptr_t hi, Intervals& to_copy) {
    std::lock_guard<std::mutex> locked(lock);
    if (const Promise* p = promise_for(lo, hi)) {
      if (p->checked && sum_of(p->lo, p->hi) != p->sum) return BROKEN;
    } else if (w.tracked || start_tracking(w)) {
      look_at_pages(w, lo, hi);
    } else {
      w.changed.add(lo, hi);
    }
    to_copy = w.changed.within(lo, hi);
    w.changed.remove(lo, hi);
    return to_copy.empty() ? KNOWN : CHANGED;
  }

  // The copy of these bytes is not what it was.
  void lose(Watch& w, uintptr_t lo, uintptr_t hi) {
    std::lock_guard<std::mutex> locked(lock);
    w.changed.add(lo, hi);
  }
  void distrust(Watch& w) {
    std::lock_guard<std::mutex> locked(lock);
    w.trusted = false;
  }

  // Bytes will be written on the host from the copy of this watch, all of them: `have_written` follows. May they count as equal then? If so, each piece
  // is armed when it is written, by `arm`.
  bool will_write(Watch& w, uintptr_t lo, uintptr_t hi) {
    std::lock_guard<std::mutex> locked(lock);
    if ((!w.tracked && !start_tracking(w)) || w.pause > 0) return false;
    tracker.disarm(tracker.down(lo), tracker.up(hi));
    return w.trusted;
  }

  // From here on it is seen who writes these bytes, which were written from the copy: they are equal now, or whoever asked has lost a race.
  void arm(Watch& w, uintptr_t lo, uintptr_t hi) {
    std::lock_guard<std::mutex> locked(lock);
    int64_t written = 0;
    if (!w.tracked) return;
    if (!scan(w, lo, hi, true, &written)) return stop_tracking(w);
    w.changed.remove(lo, hi);
  }

  // Bytes were written on the host by the layer, from the copy of this watch if all of them were (`whole`). They are armed already, or nobody else
  // knows of them yet.
  void have_written(Watch* w, uintptr_t lo, uintptr_t hi, bool whole, bool armed = false) {
    std::lock_guard<std::mutex> locked(lock);
    tell(lo, hi, w);
    if (!w) return;
    if (!whole || (!w->tracked && !start_tracking(*w)) || w->pause > 0) {
      if (!w->tracked) w->changed.add(lo, hi);
      return;
    }
    if (!armed) {
      int64_t written = 0;
      if (!w->trusted || !scan(*w, lo, hi, true, &written)) return stop_tracking(*w);
      w->changed.remove(lo, hi);
    }
    if (lo <= w->lo && w->hi <= hi) w->fresh = false;
    if (tracker.others_pin()) w->trusted = false;
  }

  int64_t promise(uintptr_t lo, uintptr_t hi, bool checked) {
    std::lock_guard<std::mutex> locked(lock);
    tell(lo, hi);  // what was written before has not been looked at
    promises.push_back({++last_promise, lo, hi, checked, checked ? sum_of(lo, hi) : 0});
    return last_promise;
  }

  void end_promise(int64_t number) {
    std::lock_guard<std::mutex> locked(lock);
    for (const Promise& p : promises)
      if (p.number == number) tell(p.lo, p.hi);
    promises.erase(std::remove_if(promises.begin(), promises.end(), [&](const Promise& p) { return p.number == number; }), promises.end());
  }

  void forget(uintptr_t lo, uintptr_t hi) {
    std::lock_guard<std::mutex> locked(lock);
    tell(lo, hi);
    for (Promise& p : promises)
      if (p.checked && p.lo < hi && lo < p.hi) p.sum = sum_of(p.lo, p.hi);
  }

  // "" if pages are tracked.
  std::string why_off() {
    std::lock_guard<std::mutex> locked(lock);
    if (!allowed) return "the setting tracker says so";
    return can_track() ? "" : tracker.why_off;
  }
  void allow(bool on) {
    std::lock_guard<std::mutex> locked(lock);
    if (allowed && !on)
      for (Watch* w : all) stop_tracking(*w);
    allowed = on;
  }
  void pinned_by_us(int64_t kilobytes) {
    std::lock_guard<std::mutex> locked(lock);
    tracker.pinned_by_us(kilobytes);
  }
  int64_t pinned() { return tracker.pinned(); }

  // Nothing of the parent's is known in a child.
  void in_forked_child() {
    new (&lock) std::mutex;
    new (&all) std::vector<Watch*>;  // another thread may have been at work on it
    new (&promises) std::vector<Promise>;
    opened = false;
    tracker.close("");
  }
};
static Watches& watches = *new Watches;
#endif
