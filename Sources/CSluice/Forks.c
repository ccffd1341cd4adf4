#include "CSluice.h"

#include <stdlib.h>

/* The registration of a callback for forked child processes. */
struct sluice_fork_watch {
  struct sluice_fork_watch *previous, *next;
  void *owner;
  void (*tell)(void *owner);
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct sluice_fork_watch *first;

static void lock(void) { pthread_mutex_lock(&mutex); }

static void unlock(void) { pthread_mutex_unlock(&mutex); }

static void tell_all(void) {
  for (struct sluice_fork_watch *watch = first; watch; watch = watch->next) watch->tell(watch->owner);
  unlock();
}

/* The list is locked while the process forks, so that the child gets a consistent copy. */
static void start(void) { pthread_atfork(lock, unlock, tell_all); }

struct sluice_fork_watch *sluice_watch_forks(void *owner, void (*tell)(void *)) {
  struct sluice_fork_watch *watch = malloc(sizeof *watch);
  if (!watch) return 0;
  pthread_once(&once, start);
  lock();
  *watch = (struct sluice_fork_watch){0, first, owner, tell};
  if (first) first->previous = watch;
  first = watch;
  unlock();
  return watch;
}

void sluice_forget_forks(struct sluice_fork_watch *watch) {
  if (!watch) return;
  lock();
  if (watch->next) watch->next->previous = watch->previous;
  if (watch->previous)
    watch->previous->next = watch->next;
  else
    first = watch->next;
  unlock();
  free(watch);
}
