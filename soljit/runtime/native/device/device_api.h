// What Python asks of the layer above a GPU's driver. Plain C; read by cffi. Texts are written into `text`, which has room for `room` bytes.
#ifndef SOLJIT_DEVICE_API_H
#define SOLJIT_DEVICE_API_H
#include "device.h"

typedef struct sol_driver sol_driver;  // a driver's library
typedef struct sol_gpu sol_gpu;        // a device; it begins with its sol_device_services

typedef struct sol_gpu_facts {
  char name[128];
  int32_t major, minor;  // compute capability; 0.0: emulated
  int32_t processors;    // multiprocessors
  int32_t pools;         // does it have pools of memory?
  int64_t memory;        // bytes
  int64_t shared;        // bytes of memory that a block may have
} sol_gpu_facts;

// What has happened since the process began, or since it was last set to 0. Bytes are those that were moved.
typedef struct sol_gpu_counts {
  int64_t h2d_calls, h2d_bytes;            // arrays that came to the device
  int64_t h2d_hits, h2d_partial;           // those that were there already; those of which a part was
  int64_t h2d_saved_bytes;                 // what did not have to be moved therefore
  int64_t d2h_calls, d2h_bytes;            // arrays that went to the host
  int64_t poke_calls, poke_bytes, fetch_calls, fetch_bytes;
  int64_t launches, fills;                 // kernels and products that were queued, memory that was filled
  int64_t graphs;                          // in which launches that followed each other closely went to the device
  int64_t gemms;                           // of the launches, products by cuBLAS
  int64_t syncs;                           // how often the host waited for work that was queued
  int64_t allocations, allocated_bytes, frees;
  int64_t evictions;                       // copies of arrays that had to make room
  int64_t sessions, images;                // programs that ran, images that were loaded
} sol_gpu_counts;

typedef struct sol_gpu_memory {
  int64_t used, most;   // bytes that soljit uses now, and the most it has used at once
  int64_t kept;         // those of `used` that are copies of arrays, kept for later calls
  int64_t left, total;  // of the device
} sol_gpu_memory;

enum { SOL_ARRIVE, SOL_LEAVE, SOL_POKE, SOL_FETCH, SOL_LAUNCH, SOL_FILL, SOL_TAKE, SOL_GIVE, SOL_WAIT, SOL_GEMM, SOL_KNOWN, SOL_UPDATE };
typedef struct sol_gpu_event {
  sol_gpu* gpu;
  int32_t kind;
  int32_t failed;
  int64_t bytes;       // of a launch: threads; of a product: multiplications
  int64_t begin, end;  // of the call, in nanoseconds of the host's clock that only goes on; what it queued may be done later
  char name[64];  // of the array, the kernel, or cuBLAS's function; "" if it has none
} sol_gpu_event;

// Load a driver and initialize it; NULL with the reason. A library that cannot be loaded, `*failed` is 0; else the CUresult.
sol_driver* sol_driver_open(const char* path, int32_t* failed, char* text, int32_t room);
// 12040 for version 12.4; 0 if the driver does not say.
int32_t sol_driver_version(sol_driver*);
int32_t sol_driver_devices(sol_driver*);
// "CUDA_ERROR_OUT_OF_MEMORY: out of memory"
void sol_driver_explain(sol_driver*, int32_t failed, char* text, int32_t room);
// A device, of which there is one a process for each number. Nothing is done with it yet.
sol_gpu* sol_gpu_open(sol_driver*, int32_t number);
int32_t sol_gpu_describe(sol_gpu*, sol_gpu_facts*);
// Let sessions find an image. The bytes are copied; of two images with one id the first one that was loaded stays.
void sol_gpu_provide(sol_gpu*, uint64_t id, const char* bytes, int64_t size);
// Let sessions multiply matrices by the cuBLAS in this library; false with the reason if it cannot be loaded, lacks a function, or is for drivers newer than
// `newest` (13 for CUDA 13). The last one counts.
int32_t sol_gpu_use_cublas(sol_gpu*, const char* path, int32_t newest, char* text, int32_t room);
int32_t sol_gpu_synchronize(sol_gpu*);
int32_t sol_gpu_memory_now(sol_gpu*, sol_gpu_memory*);
// Give memory that is kept for later back to the system, that of copies of arrays, too.
int32_t sol_gpu_empty_cache(sol_gpu*);
// Use blocks of memory again that were given back, or do not, as on the emulated device, which watches each one from its allocation to its end.
int32_t sol_gpu_reuse(sol_gpu*, int32_t on);
void sol_gpu_count(sol_gpu*, sol_gpu_counts*);
void sol_gpu_reset_counts(sol_gpu*);
// Write events of all devices down from now on, or no longer; those that are there are forgotten.
void sol_layer_trace(int32_t on);
// What the clock of events says now.
int64_t sol_layer_now(void);
// How many events there are; those from number `first` on are written to `events`, as many as fit.
int64_t sol_layer_events(sol_gpu_event* events, int64_t first, int64_t room);
// Copies of arrays may take so many percent of each device's memory between calls; `track`: may the kernel be asked which pages were written?
void sol_layer_keep(int32_t percent, int32_t track);
// Why pages are not tracked; "" if they are.
void sol_layer_tracker(char* text, int32_t room);
// A promise that the bytes from `lo` up to `hi` do not change, until it ends. checked: each use compares a checksum.
int64_t sol_layer_promise(const char* lo, const char* hi, int32_t checked);
void sol_layer_end_promise(int64_t number);
// What is known of these bytes is forgotten: copies of them are made anew.
void sol_layer_forget(const char* lo, const char* hi);
// The CUresult after which the device cannot be used any more in this process, or 0; then with the reason.
int32_t sol_gpu_dead(sol_gpu*, char* text, int32_t room);
// The last failure that this thread was told of: which call, and what the driver says of it.
void sol_layer_failure(char* text, int32_t room);
// Names of arrays that programs of this thread could not copy home before an exception left them: "'a', 'b'". They are told once.
void sol_layer_lost(char* text, int32_t room);

// The memory of a device array (owned.h).
typedef struct sol_owned sol_owned;
typedef struct sol_owned_facts {
  uint64_t lo;               // where its first byte is on the host
  uint64_t at;               // and on the device; 0: nowhere yet
  int32_t host, device;      // which side is current
  int32_t writers, viewers;  // who holds views of the host's memory
  int32_t outside;           // other libraries may write the device's
} sol_owned_facts;

// Memory for the `bytes` of host memory at `lo`, which are current if `host`. If this thread has kept memory that holds them, it is taken over;
// nothing is allocated before it is needed. NULL: there is no memory to write this down.
sol_owned* sol_owned_new(sol_gpu*, char* lo, int64_t bytes, int32_t host);
// Memory of another library at `at`, with host addresses that are only reserved.
sol_owned* sol_owned_outside(sol_gpu*, uint64_t at, int64_t bytes);
void sol_owned_free(sol_owned*);
void sol_owned_describe(sol_owned*, sol_owned_facts*);
// Make all of it current on the device.
int32_t sol_owned_to_device(sol_owned*);
// Somebody gets a view of some of the host's memory, which is made current, or has given it back.
int32_t sol_owned_open(sol_owned*, int64_t offset, int64_t bytes, int32_t writer);
void sol_owned_close(sol_owned*, int32_t writer);
// Copy bytes from where they are current, or write bytes that become current on both sides, as far as those are.
int32_t sol_owned_read(sol_owned*, int64_t offset, int64_t bytes, char* to);
int32_t sol_owned_write(sol_owned*, int64_t offset, int64_t bytes, const char* from);
// Set all bytes to 0, on the device.
int32_t sol_owned_clear(sol_owned*);
// Other libraries are shown the device's memory, and may write it from now on. Not while there are views of the host's.
int32_t sol_owned_show(sol_owned*);
// Wait for a stream of another library.
int32_t sol_gpu_wait_for(sol_gpu*, uint64_t stream);
// The bytes of the driver's allocation that holds this address; false if the driver does not say.
int32_t sol_gpu_allocation(sol_gpu*, uint64_t at, uint64_t* lo, int64_t* bytes);
// Sizes of the structs of this interface and of device.h, in the order of their names; -1 behind the last.
int64_t sol_layer_size(int32_t k);
#endif
