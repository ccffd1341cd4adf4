#include "Allocations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define IS_SANITIZED
#endif
#endif

static _Thread_local uint64_t allocations;

static _Atomic int64_t blocks;

uint64_t allocations_of_this_thread(void) { return allocations; }
int64_t allocations_in_use(void) { return atomic_load(&blocks); }

#if defined(__GLIBC__) && !defined(IS_SANITIZED)

bool allocations_are_counted(void) { return true; }

/* What a program defines comes before what its libraries do, and is what all of them call. */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static void *counted(void *block) {
  allocations++;
  if (block) atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed);
  return block;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }

void *realloc(void *old, size_t size) {
  if (!old) return malloc(size);
  allocations++;
  void *block = __libc_realloc(old, size);
  if (!block && size == 0) atomic_fetch_sub_explicit(&blocks, 1, memory_order_relaxed);
  return block;
}

void *memalign(size_t alignment, size_t size) {
  return counted(__libc_memalign(alignment, size));
}

void free(void *block) {
  if (block) atomic_fetch_sub_explicit(&blocks, 1, memory_order_relaxed);
  __libc_free(block);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **place, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *start = memalign(alignment, size);
  if (start == NULL) return ENOMEM;
  *place = start;
  return 0;
}

#else

bool allocations_are_counted(void) { return false; }

#endif
