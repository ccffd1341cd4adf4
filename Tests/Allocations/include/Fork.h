#ifndef FORK_H
#define FORK_H

/// Runs `body` in a child of this process, which ends with what it returns; -1 if there was no child, or if it ended in
/// another way, as it does after a minute.
int result_of_child(int (*body)(void *context), void *context);

#endif
