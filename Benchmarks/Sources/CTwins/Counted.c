#include "CTwins.h"

/* Without this attribute, a tail call would leave the function before the counted work begins. */
#define COUNTED __attribute__((noinline, disable_tail_calls))

COUNTED void counted_c(void (*body)(void *), void *context) { body(context); }

COUNTED void counted_sluice(void (*body)(void *), void *context) { body(context); }
