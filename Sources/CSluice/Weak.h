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

/* A variable of the process. Each object file that uses it contains a definition, and the linker keeps one of them: a
 * module without C files is compiled only once for a program and the tools of its build. Only a definition with an
 * initial value reaches the object files of Swift. */
#define SLUICE_SHARED __attribute__((weak))

#endif
