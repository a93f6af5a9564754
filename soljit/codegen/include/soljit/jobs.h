// The jobs of one product of OpenBLAS's, which wait for each other. Shared by kernels and the dispatcher.
#ifndef SOLJIT_JOBS_H
#define SOLJIT_JOBS_H
#include <stddef.h>

struct sol_jobs {
  void (*job)(int number, void* data, int extra);
  char* data;
  size_t size;       // of what a job is told
  int count;
  int first, extra;  // the number of the first one
  void run(int k) const { job(first + k, data + k * size, extra); }
};
typedef bool (*sol_crew)(const sol_jobs& jobs);  // runs all of them at the same time, or none
#endif
