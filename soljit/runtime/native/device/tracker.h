// Which pages of the host's memory have been written since they were last looked at. The kernel knows: a page is armed (protected against
// writes by userfaultfd in its asynchronous mode), the first write disarms it without anybody being called, and a scan (PAGEMAP_SCAN) lists
// the pages that are not armed and arms them, in one step. Reads, writes by system calls and by other threads work as ever.
//
// Linux 6.7 or newer. Elsewhere, and where the system forbids it, `why_off` says so, and nothing can be tracked.
#ifndef SOLJIT_TRACKER_H
#define SOLJIT_TRACKER_H
#include <errno.h>
#include <string.h>

#include <string>
#include <vector>

#include "intervals.h"

#if defined(__linux__)
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

class Tracker {
  // As in linux/userfaultfd.h and linux/fs.h, of which older systems have not all.
  struct Api { uint64_t api, features, ioctls; };
  struct Range { uint64_t start, len; };
  struct Register { Range range; uint64_t mode, ioctls; };
  struct Protect { Range range; uint64_t mode; };
  struct Region { uint64_t start, end, categories; };
  struct Scan {
    uint64_t size, flags, start, end, walk_end, regions, room, most, inverted, all_of, any_of, wanted;
  };
  enum : unsigned long {
    API = _IOWR(0xAA, 0x3F, Api), REGISTER = _IOWR(0xAA, 0x00, Register), UNREGISTER = _IOR(0xAA, 0x01, Range),
    PROTECT = _IOWR(0xAA, 0x06, Protect), NEW = _IO(0xAA, 0x00), SCAN = _IOWR('f', 16, Scan)
  };
  enum : uint64_t { UNPOPULATED = 1 << 13, ASYNC = 1 << 15, BY_WRITES = 2 };
  enum : uint64_t { ARM = 1, MUST_BE_ASYNC = 2, WRITTEN = 2, FILE_PAGE = 4, PRESENT = 8 };
  enum { USER_MODE_ONLY = 1 };

  int faults = -1, pages = -1, status = -1;
  int64_t pinned_at_first = 0;
  uintptr_t page = 4096;

  // An error as a sentence's end.
  static std::string words(const char* what, int error) { return std::string(what) + ": " + strerror(error); }

  std::string open_files() {
    faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | USER_MODE_ONLY);
    const int refused = faults < 0 ? errno : 0;
    if (refused) {  // containers forbid the system call, but may have the file
      const int device = ::open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
      if (device >= 0) {
        faults = ioctl(device, NEW, O_CLOEXEC | O_NONBLOCK | USER_MODE_ONLY);
        ::close(device);
      }
    }
    if (faults < 0) return words("userfaultfd cannot be had", refused);
    Api api = {0xAA, ASYNC | UNPOPULATED, 0};
    if (ioctl(faults, API, &api)) return "this kernel's userfaultfd has no asynchronous mode (Linux 6.7 has)";
    pages = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (pages < 0) return words("/proc/self/pagemap cannot be read", errno);
    status = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (status < 0) return words("/proc/self/status cannot be read", errno);
    pinned_at_first = pinned();
    return "";
  }

  // Does all of it do what it should?
  std::string trial() {
    char* const at = (char*)mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return words("mmap", errno);
    const uintptr_t lo = (uintptr_t)at, hi = lo + 2 * page;
    volatile char* const byte = at;
    std::vector<Interval> first, clean, dirty;
    std::string fault;
    byte[0] = byte[page] = 1;
    if (!cover(lo, hi)) fault = words("UFFDIO_REGISTER", errno);
    else if (!scan(lo, hi, true, first) || !scan(lo, hi, false, clean)) fault = words("this kernel has no PAGEMAP_SCAN (Linux 6.7 has)", errno);
    else {
      byte[page] = 2;
      const bool good = scan(lo, hi, false, dirty) && first.size() == 1 && clean.empty() && dirty.size() == 1 && dirty[0].lo == lo + page;
      if (!good) fault = "writes to a page on trial were not seen";
    }
    munmap(at, 2 * page);
    return fault;
  }

 public:
  std::string why_off = "nothing has been tracked yet";
  bool on() const { return why_off.empty(); }
  uintptr_t down(uintptr_t at) const { return at & ~(page - 1); }
  uintptr_t up(uintptr_t at) const { return (at + page - 1) & ~(page - 1); }

  void open() {
    page = (uintptr_t)sysconf(_SC_PAGESIZE);
    why_off = open_files();
    if (why_off.empty()) why_off = trial();
    if (!why_off.empty()) close(why_off);
  }

  void close(const std::string& why) {
    for (int* file : {&faults, &pages, &status}) {
      if (*file >= 0) ::close(*file);
      *file = -1;
    }
    why_off = why;
  }

  // Pages can be armed from now on, until the memory is given back to the system. The others of these functions want pages that can.
  bool cover(uintptr_t lo, uintptr_t hi) {
    Register wanted = {{lo, hi - lo}, BY_WRITES, 0};
    return !ioctl(faults, REGISTER, &wanted);
  }

  void uncover(uintptr_t lo, uintptr_t hi) {
    Range range = {lo, hi - lo};
    ioctl(faults, UNREGISTER, &range);
  }

  // They count as written; to write to them costs nothing then.
  void disarm(uintptr_t lo, uintptr_t hi) {
    Protect none = {{lo, hi - lo}, 0};
    ioctl(faults, PROTECT, &none);
  }

  // Add the pages that may have been written since they were armed to `written`, and arm them if `arm`. False if nothing can be said, since other
  // memory lies there now. Pages that are not there count as written (the system may have dropped them), and so do those of files,
  // which other processes may write.
  bool scan(uintptr_t lo, uintptr_t hi, bool arm, std::vector<Interval>& written) {
    Region regions[64];
    while (lo < hi) {
      Scan s = {};
      s.size = sizeof s;
      s.flags = MUST_BE_ASYNC | (arm ? (uint64_t)ARM : 0);
      s.start = lo;
      s.end = hi;
      s.regions = (uint64_t)regions;
      s.room = 64;
      s.inverted = PRESENT;
      s.any_of = WRITTEN | PRESENT | FILE_PAGE;
      s.wanted = WRITTEN | PRESENT | FILE_PAGE;
      const int n = ioctl(pages, SCAN, &s);
      if (n < 0 || s.walk_end <= lo) return false;
      for (int k = 0; k < n; k++) {
        if (!written.empty() && written.back().hi == regions[k].start) written.back().hi = regions[k].end;
        else written.push_back({(uintptr_t)regions[k].start, (uintptr_t)regions[k].end});
      }
      lo = (uintptr_t)s.walk_end;
    }
    return true;
  }

  // KiB of this process that devices may write at any time, without a page being touched; -1 if that is not known.
  int64_t pinned() const {
    char text[8192];
    const ssize_t n = pread(status, text, sizeof text - 1, 0);
    text[std::max<ssize_t>(n, 0)] = 0;
    const char* const line = strstr(text, "\nVmPin:");
    return line ? strtoll(line + 7, nullptr, 10) : -1;
  }
  bool others_pin() const { return pinned() != pinned_at_first; }
  void pinned_by_us(int64_t more) { pinned_at_first += more; }
};

#else

class Tracker {
 public:
  std::string why_off = "only Linux can tell which pages were written";
  bool on() const { return false; }
  uintptr_t down(uintptr_t at) const { return at; }
  uintptr_t up(uintptr_t at) const { return at; }
  void open() {}
  void close(const std::string&) {}
  bool cover(uintptr_t, uintptr_t) { return false; }
  void uncover(uintptr_t, uintptr_t) {}
  void disarm(uintptr_t, uintptr_t) {}
  bool scan(uintptr_t, uintptr_t, bool, std::vector<Interval>&) { return false; }
  int64_t pinned() const { return 0; }
  bool others_pin() const { return false; }
  void pinned_by_us(int64_t) {}
};
#endif
#endif
