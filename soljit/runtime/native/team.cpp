// OpenMP for the checker of races: what g++ makes of `#pragma omp parallel`, with threads that are started and joined where the
// checker sees it. Slow, and no more of OpenMP than generated code needs.
#include <pthread.h>
#include <time.h>
#include <vector>

namespace {
struct Member {
  void (*work)(void*);
  void* data;
  int number, team;
};
thread_local int my_number, my_team = 1;
thread_local bool within;
int wanted = 4;

void* run(void* argument) {
  const Member& m = *(Member*)argument;
  my_number = m.number;
  my_team = m.team;
  within = true;
  m.work(m.data);
  return nullptr;
}
}

extern "C" {
int omp_get_thread_num(void) { return my_number; }
int omp_get_num_threads(void) { return my_team; }
int omp_get_max_threads(void) { return __atomic_load_n(&wanted, __ATOMIC_RELAXED); }
int omp_in_parallel(void) { return within; }
double omp_get_wtime(void) {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
void omp_set_num_threads(int n) { __atomic_store_n(&wanted, n, __ATOMIC_RELAXED); }

void GOMP_parallel(void (*work)(void*), void* data, unsigned team, unsigned) {
  std::vector<Member> members;
  for (int k = 0; k < (int)team; k++) members.push_back({work, data, k, (int)team});
  std::vector<pthread_t> threads(team);
  for (unsigned k = 1; k < team; k++) pthread_create(&threads[k], nullptr, run, &members[k]);
  run(&members[0]);
  for (unsigned k = 1; k < team; k++) pthread_join(threads[k], nullptr);
  my_number = 0;
  my_team = 1;
  within = false;
}
}
