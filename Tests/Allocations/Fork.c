#include "Fork.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int result_of_child(int (*body)(void *context), void *context) {
  pid_t child = fork();
  if (child == -1) return -1;
  if (child == 0) {
    // The threads that run tasks block all signals, and the child inherits that.
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &alarms, NULL);
    alarm(60);
    _exit(body(context));
  }
  int status;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
