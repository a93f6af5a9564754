// A launch: some blocks at a time, all their threads by turns, in an order that is drawn.
//
// A fiber runs one thread after another as long as they run through; a thread that waits keeps its fiber, and another fiber goes on. So
// kernels without barriers need one fiber.
#ifndef SOLJIT_EMULATOR_LAUNCH_H
#define SOLJIT_EMULATOR_LAUNCH_H
#include "blocks.h"
#include "image.h"

namespace fake {

struct Job {
  Kernel* kernel;
  uint32_t blocks[3], width[3], shared;
  std::vector<std::vector<char>> with;
  bool together = false;  // may its blocks wait for each other?
};

const size_t MOST_AT_ONCE = 2048;  // threads

struct Launch;
inline Launch* running;       // under the driver's lock
inline sol_place here;        // of the thread that runs

struct Launch {
  const Job& job;
  const size_t width;
  const uint64_t grid;
  bool checked;
  CUresult failed = 0;
  Draws draws;
  Block* block = nullptr;     // of the thread that runs
  Thread* thread = nullptr;
  Fiber* fiber = nullptr;
  std::vector<std::pair<Allocation*, int>> reached;  // memory that arguments lead to, and which argument

  explicit Launch(const Job& j)
      : job(j), width((size_t)j.width[0] * j.width[1] * j.width[2]), grid((uint64_t)j.blocks[0] * j.blocks[1] * j.blocks[2]),
        checked(j.kernel->as->checked), draws{state().seed ^ state().launch * 0x51ED270B}, natural(state().seed == 0) {}

  CUresult run() {
    translate();
    for (uint32_t k = 0; k < width; ++k) {
      lanes.push_back({k % job.width[0], k / job.width[0] % job.width[1], k / job.width[0] / job.width[1]});
    }
    for (int d = 0; d < 3; ++d) here.width[d] = job.width[d], here.blocks[d] = job.blocks[d];
    size_t most = MOST_AT_ONCE / width;
    if (most > 4) most = 4;
    if (most > grid) most = (size_t)grid;
    const size_t at_once = job.together ? (size_t)grid : natural || most < 2 ? 1 : 1 + (size_t)draws.below(most);
    const Order order(grid, natural, draws);
    for (uint64_t first = 0; first < grid && !failed; first += at_once) {
      count = grid - first < at_once ? (size_t)(grid - first) : at_once;
      while (some.size() < count) some.emplace_back(new Block);
      for (size_t k = 0; k < count; ++k) some[k]->begin(order(first + k), job.blocks, width, ++runs());
      run_some();
    }
    if (!failed && !unwritten.empty()) fail(CUDA_ERROR_LAUNCH_FAILED, unwritten);
    for (auto& a : reached) {
      if (!checked) a.first->shadow.wrote(0, a.first->bytes);
    }
    return failed;
  }

  // --- what threads ask for; see `services.h` ---

  void wait(Thread::Doing for_what) {
    thread->doing = for_what;
    thread->fiber = fiber;
    if (for_what == Thread::READY) ready.push_back({block, thread});
    Fiber& mine = *fiber;
    change(mine, home);
  }
  // The thread that runs did something wrong; it does not go on.
  [[noreturn]] void stop(CUresult code, const std::string& fault) {
    fail(code, fault + whose());
    change(*fiber, home);
    abort();
  }
  // The same, but it goes on: perhaps somebody writes too late what was read here, and the fault is a race.
  void read_unwritten(const std::string& fault) {
    if (unwritten.empty()) unwritten = fault + whose();
  }
  void pause() {
    if (!natural && draws.below(2)) wait(Thread::READY);
  }
  uint32_t ticket(uint32_t* p, uint32_t n) {
    if (finished.empty()) finished.resize((size_t)grid);
    finished[(size_t)block->number] = true;
    const uint32_t old = *p;
    *p = old >= n - 1 ? 0 : old + 1;
    if (old + 1 == n) block->last = true;
    return old;
  }
  Self self() const {
    return {{(uint32_t)block->number, (uint32_t)here.lane, block->epoch}, block->last ? &finished : nullptr, met};
  }
  bool begin_next() {  // of the threads that have not run yet
    if (next == count * width) return false;
    const uint64_t j = starts(next++);
    const size_t b = by_block ? (size_t)j / width : (size_t)j % count, lane = by_block ? (size_t)j % width : (size_t)j / count;
    enter(some[b].get(), &some[b]->threads[lane]);
    return true;
  }
  void finish_thread() {
    thread->doing = Thread::DONE;
    ++block->done;
  }
  void* const* arguments() const { return pointers.data(); }
  Fiber home;
  std::vector<Fiber*> idle;
  std::string triple(const uint32_t* d) const { return text("(%u, %u, %u)", d[0], d[1], d[2]); }
  std::string who(uint64_t packed) const {
    const Who w = Who::of(packed);
    const uint64_t b = w.block;
    const uint32_t at[3] = {(uint32_t)(b % job.blocks[0]), (uint32_t)(b / job.blocks[0] % job.blocks[1]),
                            (uint32_t)(b / job.blocks[0] / job.blocks[1])};
    return text("block %s, thread %s", triple(at).c_str(), triple(lanes[w.thread].d).c_str());
  }
  void fail(CUresult code, std::string fault) {
    if (!unwritten.empty() && fault.compare(0, 5, "race:")) fault = unwritten, code = CUDA_ERROR_LAUNCH_FAILED;
    if (!failed) note(fault + text("; kernel %s (launch %llu, seed %llu)", job.kernel->as->name, (unsigned long long)state().launch,
                                   (unsigned long long)state().seed));
    failed = code;
  }

 private:
  struct Lane {
    uint32_t d[3];
  };
  // The numbers below n in an order that is drawn.
  struct Order {
    uint64_t n = 0, step = 1, shift = 0;
    Order() = default;
    Order(uint64_t n_, bool natural, Draws& draws) : n(n_) {
      if (natural || n < 2 || n >> 32) return;
      do step = 1 + draws.below(n - 1);
      while (divisor(step, n) != 1);
      shift = draws.below(n);
    }
    uint64_t operator()(uint64_t k) const { return n >> 32 ? k : (k * step + shift) % n; }
    static uint64_t divisor(uint64_t a, uint64_t b) { return b ? divisor(b, a % b) : a; }
  };
  struct Waiting {
    Block* block;
    Thread* thread;
  };
  static uint64_t& runs() {
    static uint64_t n = (uint64_t)1 << 48;  // apart from the numbers of launches
    return n;
  }
  static std::vector<std::unique_ptr<Fiber>>& fibers() {
    static auto* const all = new std::vector<std::unique_ptr<Fiber>>;
    return *all;
  }
  const bool natural;
  std::vector<Lane> lanes;
  std::vector<std::vector<char>> values;
  std::vector<void*> pointers;
  std::vector<std::unique_ptr<Block>> some;  // blocks that run now: the first `count`
  size_t count = 0, next = 0;
  uint32_t met = 0;  // the epoch of all blocks that began when they last met
  bool by_block = true;
  Order starts;
  std::deque<Waiting> ready;
  std::vector<bool> finished;

  std::string unwritten;  // the first fault of this kind

  std::string whose() const {
    return text("; block %s, thread %s", triple(block->at).c_str(), triple(lanes[lane_of(thread)].d).c_str());
  }
  size_t lane_of(const Thread* t) const { return (size_t)(t - block->threads.data()); }

  // Arguments for the host: device addresses become its own, and all others such that nobody can use them.
  void translate() {
    const sol_emulated_kernel& k = *job.kernel->as;
    values = job.with;
    for (int32_t i = 0; i < k.count; ++i) {
      pointers.push_back(values[(size_t)i].data());
      if (k.sizes[i] > 0) continue;
      uint64_t at;
      memcpy(&at, values[(size_t)i].data(), 8);
      const uint64_t own = at == 0 ? 0 : at >= AWAY ? at - AWAY : at + AWAY;
      memcpy(values[(size_t)i].data(), &own, 8);
      Allocation* a = at >= AWAY ? memory().before((uintptr_t)own) : nullptr;
      if (a && a->live && own <= (uintptr_t)a->data + a->bytes) reached.push_back({a, i});
    }
  }
  void enter(Block* b, Thread* t) {
    block = b;
    thread = t;
    const size_t lane = lane_of(t);
    memcpy(here.block, b->at, sizeof(here.block));
    memcpy(here.thread, lanes[lane].d, sizeof(here.thread));
    here.lane = (int32_t)lane;
  }
  static void entry() {
    for (;;) {
      Launch& l = *running;
      while (l.begin_next()) {
        l.job.kernel->as->run(l.arguments());
        l.finish_thread();
      }
      l.idle.push_back(l.fiber);
      change(*l.fiber, l.home);
    }
  }
  bool take_fiber() {
    if (idle.empty()) {
      fibers().emplace_back(new Fiber);
      if (!fibers().back()->make(fibers().size())) return false;
      idle.push_back(fibers().back().get());
    }
    fiber = idle.back();
    idle.pop_back();
    fiber->begin(entry);
    return true;
  }
  void run_some() {
    idle.clear();
    for (auto& f : fibers()) idle.push_back(f.get());
    ready.clear();
    next = 0;
    by_block = natural || draws.below(2);
    starts = Order(count * width, natural, draws);
    while (!failed) {
      thread = nullptr;
      if (!ready.empty()) {
        if (!natural) std::swap(ready.front(), ready[(size_t)draws.below(ready.size())]);
        const Waiting w = ready.front();
        ready.pop_front();
        fiber = w.thread->fiber;
        enter(w.block, w.thread);
        change(home, *fiber);
      } else if (next < count * width) {
        if (!take_fiber()) return fail(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "no memory for the stacks of threads");
        change(home, *fiber);
      } else if (!release()) {
        break;
      }
    }
  }
  // Let those go on who wait for nobody any more; false if there are none.
  bool release() {
    bool any = false, left = false;
    for (size_t k = 0; k < count && !failed; ++k) {
      Block& b = *some[k];
      if (b.done == width) continue;
      left = true;
      if (any && !natural && draws.below(4) == 0) continue;  // blocks do not keep step
      any |= release_warps(b) || release_barrier(b);
    }
    any |= !failed && release_all();
    if (left && !any && !failed) {
      fail(CUDA_ERROR_LAUNCH_FAILED, "divergent barrier: some threads wait at a barrier and others at one of another kind, in a shuffle, or not at all");
    }
    return any;
  }
  // How many threads of a block wait for `what`, and the first of them; false if they do so at different lines.
  bool count_waiting(Block& b, Thread::Doing what, const Thread*& first, size_t& waiting) {
    for (Thread& t : b.threads) {
      if (t.doing != what) continue;
      ++waiting;
      if (!first) first = &t;
      if (t.line != first->line) {
        fail(CUDA_ERROR_LAUNCH_FAILED, text("divergent barrier: threads of block %s wait at the barriers of lines %d and %d",
                                            triple(b.at).c_str(), first->line, t.line));
        return false;
      }
    }
    return true;
  }
  // The same for all blocks of a launch, which meet.
  bool release_all() {
    const Thread* first = nullptr;
    size_t waiting = 0, done = 0;
    for (size_t k = 0; k < count; ++k) {
      if (!count_waiting(*some[k], Thread::AT_MEETING, first, waiting)) return false;
      done += some[k]->done;
    }
    if (waiting && waiting + done == count * width && done) {
      fail(CUDA_ERROR_LAUNCH_FAILED, text("barrier not reached: %zu threads have left, %zu wait for all blocks in line %d", done, waiting, first->line));
      return false;
    }
    if (!waiting || waiting < count * width) return false;
    for (size_t k = 0; k < count; ++k) met = std::max(met, some[k]->epoch + 1);
    for (size_t k = 0; k < count; ++k) {
      some[k]->epoch = met;
      for (Thread& t : some[k]->threads) wake(*some[k], t);
    }
    return true;
  }
  bool release_barrier(Block& b) {
    const Thread* first = nullptr;
    size_t waiting = 0;
    if (!count_waiting(b, Thread::AT_BARRIER, first, waiting)) return false;
    if (waiting && waiting + b.done == width && b.done) {
      fail(CUDA_ERROR_LAUNCH_FAILED, text("barrier not reached: %zu threads of block %s have left, %zu wait at the barrier of line %d", b.done,
                                          triple(b.at).c_str(), waiting, first->line));
      return false;
    }
    if (waiting < width) return false;
    ++b.epoch;
    for (Thread& t : b.threads) wake(b, t);
    return true;
  }
  void wake(Block& b, Thread& t) {
    t.doing = Thread::READY;
    ready.push_back({&b, &t});
  }
  bool release_warps(Block& b) {
    bool any = false;
    for (size_t low = 0; low < width && !failed; low += 32) {
      const size_t high = low + 32 < width ? low + 32 : width;
      size_t there = 0, gone = 0;
      for (size_t k = low; k < high; ++k) {
        there += b.threads[k].doing == Thread::IN_SHUFFLE;
        gone += b.threads[k].doing == Thread::DONE;
      }
      if (there && there + gone == high - low && gone) {
        fail(CUDA_ERROR_LAUNCH_FAILED, text("lane mask: %zu threads of a warp of block %s have left, the others shuffle", gone, triple(b.at).c_str()));
      }
      if (there < high - low) continue;
      shuffle(b, low, high);
      any = true;
    }
    return any;
  }
  void shuffle(Block& b, size_t low, size_t high) {
    char old[32][64];
    for (size_t k = low; k < high; ++k) {
      const Thread &t = b.threads[k], &first = b.threads[low];
      if (t.by != first.by || t.bytes != first.bytes) {
        return fail(CUDA_ERROR_LAUNCH_FAILED, text("lane mask: threads of a warp of block %s are in different shuffles", triple(b.at).c_str()));
      }
      memcpy(old[k - low], t.value, (size_t)t.bytes);
    }
    for (size_t k = low; k < high; ++k) {
      Thread& t = b.threads[k];
      const size_t from = k + (size_t)t.by;
      if (from < high) memcpy(t.value, old[from - low], (size_t)t.bytes);
      else memset(t.value, state().poison, (size_t)t.bytes);
      wake(b, t);
    }
  }
};
}  // namespace fake
#endif
