/* What tests ask of the fake driver and tell it: plain C, as cffi reads it. The settings hold for the process. */

typedef struct sol_fake_counters {
  int64_t uploads, upload_bytes;      /* host to device */
  int64_t downloads, download_bytes;  /* device to host */
  int64_t copies, copy_bytes;         /* within the device */
  int64_t fills, fill_bytes;
  int64_t launches;
  int64_t products;                   /* of cuBLAS */
  int64_t waits;                      /* calls that wait for a stream, an event or the context */
  int64_t implied_waits;              /* calls that wait because CUDA's do: downloads to pageable memory, frees */
  int64_t allocations, frees, allocated_bytes;
  int64_t live, live_bytes, peak_bytes;
  int64_t pinned, pinned_bytes;       /* pages of the host that are locked now */
  int64_t modules, calls;
} sol_fake_counters;

void sol_fake_counted(sol_fake_counters* out);

/* Forget counters, faults, planned failures and the error that a fault leaves behind. Memory and modules stay. */
void sol_fake_reset(void);

/* The number of the newest allocation; and free all later ones that live, as a test does that leaves nothing behind. */
int64_t sol_fake_newest(void);
void sol_fake_free_later(int64_t number);

/* Faults: what was wrong, the oldest first. */
int32_t sol_fake_faults(void);
const char* sol_fake_fault(int32_t k);

/* New memory is full of this byte. */
void sol_fake_poison(int32_t byte);

/* Orders of blocks and threads are drawn from it; 0: the natural order. */
void sol_fake_seed(uint64_t seed);

/* Are inexact functions as wrong as CUDA's may be? */
void sol_fake_ulps(int32_t on);

/* After a fault one call fails, with CUDA_ERROR_ILLEGAL_STATE, and not all: many tests in one process want that. */
void sol_fake_survive(int32_t on);

/* Memory of the device. */
void sol_fake_memory(int64_t bytes);

/* 0: everything runs at once. */
void sol_fake_defer(int32_t on);

/* Do kernels report what nobody has written when they read it? */
void sol_fake_check_unwritten(int32_t on);

/* The k-th call from now on (1: the next one) of a kind fails with a code. Kinds: 0 any that can fail, 1 allocation, 2 launch,
   3 copy or fill, 4 wait, 5 module, 6 cuBLAS (a code of its own). With k = 0, none fails. */
void sol_fake_fail(int32_t kind, int64_t k, int32_t code);

/* How many planned failures there were. */
int64_t sol_fake_failed(void);
