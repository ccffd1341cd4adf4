#ifndef CSLUICE_WEAK_H
#define CSLUICE_WEAK_H

/* An undefined weak reference always links, and is null if the linked SQLite lacks the symbol. */
#ifdef __APPLE__
#define SLUICE_WEAK __attribute__((weak_import))
#define SLUICE_SYMBOL(name) __asm__("_" #name)
#else
#define SLUICE_WEAK __attribute__((weak))
#define SLUICE_SYMBOL(name) __asm__(#name)
#endif

/* A process-wide variable that a header defines. Each object file that uses it contains a weak definition, and the linker
 * keeps one. It needs an initial value; without one, the object files of Swift do not contain it. */
#define SLUICE_SHARED __attribute__((weak))

#endif
