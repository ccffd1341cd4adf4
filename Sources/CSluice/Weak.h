#ifndef CSLUICE_WEAK_H
#define CSLUICE_WEAK_H

#include <sqlite3.h>

/* A weak reference is null if the linked SQLite lacks the function. On Apple's systems, it links only if the stub of the
 * library names the function, and a library that is compiled from source has no stub. */
#ifdef __APPLE__
#define SLUICE_WEAK __attribute__((weak_import))
#define SLUICE_SYMBOL(name) __asm__("_" #name)
#else
#define SLUICE_WEAK __attribute__((weak))
#define SLUICE_SYMBOL(name) __asm__(#name)
#endif

/* `sluice_find_…` returns the address of a function, or null if the linked SQLite lacks it. */
#define SLUICE_LINKED(function)                                                   \
  extern void sluice_symbol_##function(void) SLUICE_SYMBOL(function) SLUICE_WEAK; \
  static inline void *sluice_find_##function(void) { return (void *)sluice_symbol_##function; }

/* On Apple's systems, this looks the function up at run time instead of referring to it. The macro SLUICE_LOOKUP does so on
 * other systems, for tests. */
#if defined(__APPLE__) || defined(SLUICE_LOOKUP)
#include <dlfcn.h>

static inline void *sluice_lookup(const char *name) {
  Dl_info found, linked;
  if (!dladdr((void *)sqlite3_libversion, &linked)) return 0;
  void *image = dlopen(linked.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void *function = dlsym(image ? image : RTLD_DEFAULT, name);
  if (image) dlclose(image);
  // Another library of the process may contain another SQLite, whose functions must not get connections of this one.
  return function && dladdr(function, &found) && found.dli_fbase == linked.dli_fbase ? function : 0;
}

#define SLUICE_LOOKED_UP(function) \
  static inline void *sluice_find_##function(void) { return sluice_lookup(#function); }
#else
#define SLUICE_LOOKED_UP SLUICE_LINKED
#endif

/* A process-wide variable that a header defines. Each object file that uses it contains a weak definition, and the linker
 * keeps one. It needs an initial value; without one, the object files of Swift do not contain it. */
#define SLUICE_SHARED __attribute__((weak))

#endif
