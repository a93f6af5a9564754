// Images of the emulator: a shared library of kernels behind a mark and its size.
#ifndef SOLJIT_EMULATOR_IMAGE_H
#define SOLJIT_EMULATOR_IMAGE_H
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include "services.h"
#include "state.h"

namespace fake {

const char MARK[8] = {'S', 'O', 'L', 'E', 'M', 'U', 0, 1};

struct Image {
  void* library = nullptr;
  int file = -1;  // open as long as the library: the loader knows libraries by their names, and this is part of the name
  const sol_emulated_kernel* kernels = nullptr;
  uintptr_t low = 0, high = 0;  // where the library lies
  const char* made_of = "";
  bool holds(uintptr_t p, size_t n) const { return p >= low && n <= high - low && p <= high - n; }
  void unload() {
    if (library) dlclose(library);
    if (file >= 0) close(file);
  }
};

struct Kernel {
  const sol_emulated_kernel* as;
  Image* image;
  int shared_most = 48 << 10;  // bytes that launches may ask for
};

inline int note_segments(struct dl_phdr_info* info, size_t, void* to) {
  Image& image = *(Image*)to;
  if (info->dlpi_addr != image.low) return 0;
  for (int k = 0; k < info->dlpi_phnum; ++k) {
    const auto& h = info->dlpi_phdr[k];
    if (h.p_type == PT_LOAD && image.low + h.p_vaddr + h.p_memsz > image.high) image.high = image.low + h.p_vaddr + h.p_memsz;
  }
  return 1;
}

// Load an image; NULL if it is none.
inline Image* load_image(const char* data, const sol_emulator* emulator) {
  uint64_t size;
  if (memcmp(data, MARK, sizeof(MARK))) return nullptr;
  memcpy(&size, data + sizeof(MARK), sizeof(size));
  char name[] = "/tmp/soljit-kernels-XXXXXX";
  const int memory = memfd_create("soljit-kernels", MFD_CLOEXEC);
  const int file = memory >= 0 ? memory : mkstemp(name);
  if (file < 0) return nullptr;
  bool whole = true;
  for (const char* p = data + 16; size && whole;) {
    const ssize_t n = write(file, p, size);
    if ((whole = n > 0)) p += n, size -= (uint64_t)n;
  }
  const std::string path = memory >= 0 ? text("/proc/self/fd/%d", memory) : name;
  Image image;
  image.file = file;
  image.library = whole ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (memory < 0) unlink(name);
  if (!image.library) {
    note(text("an image cannot be loaded: %s", whole ? dlerror() : "no room"));
    image.unload();
    return nullptr;
  }
  image.kernels = (const sol_emulated_kernel*)dlsym(image.library, "sol_emulated_kernels");
  const auto attach = (void (*)(const sol_emulator*))dlsym(image.library, "sol_emulated_attach");
  const auto made_of = (const char*)dlsym(image.library, "sol_made_of");
  if (made_of) image.made_of = made_of;
  struct link_map* map = nullptr;
  if (!image.kernels || !attach || dlinfo(image.library, RTLD_DI_LINKMAP, &map)) {
    image.unload();
    return nullptr;
  }
  image.low = image.high = map->l_addr;
  dl_iterate_phdr(note_segments, &image);
  attach(emulator);
  return new Image(image);
}
}  // namespace fake
#endif
