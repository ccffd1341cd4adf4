#ifndef CSLUICE_FORKS_H
#define CSLUICE_FORKS_H

#include <pthread.h>
#include <stdlib.h>

#include "Weak.h"

/// The registration of a callback for forked child processes.
struct sluice_fork_watch {
  struct sluice_fork_watch *previous, *next;
  void *owner;
  void (*tell)(void *owner);
};

SLUICE_SHARED pthread_mutex_t sluice_forks_mutex = PTHREAD_MUTEX_INITIALIZER;
SLUICE_SHARED pthread_once_t sluice_forks_once = PTHREAD_ONCE_INIT;
SLUICE_SHARED struct sluice_fork_watch *sluice_first_fork_watch = 0;

static inline void sluice_lock_forks(void) { pthread_mutex_lock(&sluice_forks_mutex); }

static inline void sluice_unlock_forks(void) { pthread_mutex_unlock(&sluice_forks_mutex); }

static inline void sluice_tell_forks(void) {
  for (struct sluice_fork_watch *watch = sluice_first_fork_watch; watch; watch = watch->next) watch->tell(watch->owner);
  sluice_unlock_forks();
}

/* The list is locked while the process forks, so that the child gets a consistent copy. */
static inline void sluice_start_fork_watches(void) {
  pthread_atfork(sluice_lock_forks, sluice_unlock_forks, sluice_tell_forks);
}

/// Registers `tell`, which is called at the start of each child process that is forked from this process.
///
/// Returns null if there is not enough memory.
static inline struct sluice_fork_watch *sluice_watch_forks(void *owner, void (*tell)(void *owner)) {
  struct sluice_fork_watch *watch = (struct sluice_fork_watch *)malloc(sizeof *watch);
  if (!watch) return 0;
  pthread_once(&sluice_forks_once, sluice_start_fork_watches);
  sluice_lock_forks();
  *watch = (struct sluice_fork_watch){0, sluice_first_fork_watch, owner, tell};
  if (sluice_first_fork_watch) sluice_first_fork_watch->previous = watch;
  sluice_first_fork_watch = watch;
  sluice_unlock_forks();
  return watch;
}

/// Removes a registration; null has no effect.
static inline void sluice_forget_forks(struct sluice_fork_watch *watch) {
  if (!watch) return;
  sluice_lock_forks();
  if (watch->next) watch->next->previous = watch->previous;
  if (watch->previous)
    watch->previous->next = watch->next;
  else
    sluice_first_fork_watch = watch->next;
  sluice_unlock_forks();
  free(watch);
}

#endif
