// The jobs of a product on the team of threads that runs loops, which are the next thing that the cores have to do. Threads of another team
// would sit on these cores still, or the system would put both on the same one.
#ifndef SOLJIT_BLAS_JOBS_H
#define SOLJIT_BLAS_JOBS_H
#include "soljit/blas_threads.h"
#include "soljit/openmp.h"

#ifdef _OPENMP
static SOL_NOINLINE bool sol_jobs_by_team(const sol_jobs& jobs) {
  bool done = false;
  if (omp_in_parallel() || jobs.count > omp_get_max_threads() || jobs.count > SOL_MAX_THREADS) return false;
  #pragma omp parallel num_threads(jobs.count)
  if (omp_get_num_threads() == jobs.count) {
    const sol_clean_after clean;
    jobs.run(omp_get_thread_num());
    if (omp_get_thread_num() == 0) done = true;
  }
  return done;
}
#endif

// While this object lives, the jobs that this thread gives to the BLAS are for the team.
struct sol_blas_jobs {
  sol_blas_threads* const all;
  explicit sol_blas_jobs(void* of) : all((sol_blas_threads*)of) { tell(true); }
  ~sol_blas_jobs() { tell(false); }
  void tell(bool team) const {
#ifdef _OPENMP
    if (all && all->use) all->use(team ? sol_jobs_by_team : nullptr);
#endif
  }
  sol_blas_jobs(const sol_blas_jobs&) = delete;
  sol_blas_jobs& operator=(const sol_blas_jobs&) = delete;
};
#endif
