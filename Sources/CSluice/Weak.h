#ifndef CSLUICE_WEAK_H
#define CSLUICE_WEAK_H

/* An undefined weak reference links everywhere, and is null where the linked SQLite lacks it. */
#ifdef __APPLE__
#define SLUICE_WEAK __attribute__((weak_import))
#define SLUICE_SYMBOL(name) __asm__("_" #name)
#else
#define SLUICE_WEAK __attribute__((weak))
#define SLUICE_SYMBOL(name) __asm__(#name)
#endif

#endif
