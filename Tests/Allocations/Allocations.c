#include "Allocations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define IS_SANITIZED
#endif
#endif

static _Thread_local uint64_t allocations;

static _Atomic int64_t blocks;
static _Thread_local int64_t bytes;

uint64_t allocations_of_this_thread(void) { return allocations; }
int64_t allocations_in_use(void) { return atomic_load(&blocks); }
int64_t bytes_of_this_thread(void) { return bytes; }

#if defined(__GLIBC__) && !defined(IS_SANITIZED)

bool allocations_are_counted(void) { return true; }

/* What a program defines comes before what its libraries do, and is what all of them call. */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static void add(int64_t count, int64_t size) {
  atomic_fetch_add_explicit(&blocks, count, memory_order_relaxed);
  bytes += size;
}

static int64_t size_of(void *block) { return (int64_t)malloc_usable_size(block); }

static void *counted(void *block) {
  allocations++;
  if (block) add(1, size_of(block));
  return block;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }

void *realloc(void *old, size_t size) {
  if (!old) return malloc(size);
  allocations++;
  int64_t old_size = size_of(old);
  void *block = __libc_realloc(old, size);
  if (block) add(0, size_of(block) - old_size);
  else if (size == 0) add(-1, -old_size);
  return block;
}

void *memalign(size_t alignment, size_t size) {
  return counted(__libc_memalign(alignment, size));
}

void free(void *block) {
  if (block) add(-1, -size_of(block));
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
