// What arithmetic is built on, for the processor that this is compiled for.
#ifndef SOLJIT_BASE_H
#define SOLJIT_BASE_H
#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
#include "soljit/base_device.h"
#else
#include "soljit/base_host.h"
#endif
#endif
