// The parts of Linux that the module Glibc does not contain.
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// The headers declare these only with _GNU_SOURCE.
extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern int pthread_setname_np(pthread_t, const char *);
