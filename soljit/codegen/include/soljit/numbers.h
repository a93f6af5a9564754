// All arithmetic of soljit, for processors and for kernels of a GPU: what is NumPy's meaning stands here once.
#ifndef SOLJIT_NUMBERS_H
#define SOLJIT_NUMBERS_H
#include "soljit/integers.h"
#include "soljit/real.h"
#include "soljit/half.h"
#include "soljit/complex.h"
#include "soljit/floats.h"
#include "soljit/special.h"
#endif
