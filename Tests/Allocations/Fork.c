#include "Fork.h"

#include <sys/wait.h>
#include <unistd.h>

int result_of_child(int (*body)(void *context), void *context) {
  pid_t child = fork();
  if (child == -1) return -1;
  if (child == 0) {
    alarm(60);
    _exit(body(context));
  }
  int status;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
