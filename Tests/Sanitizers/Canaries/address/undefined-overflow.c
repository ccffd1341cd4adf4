// What the C standard does not define: a signed integer that overflows.
// report: undefined-overflow\.c:.* runtime error: signed integer overflow
#include <limits.h>

int main(int count, char **arguments) {
  (void)arguments;
  int sum = count > 1 ? INT_MAX : 0;
  sum += count;
  return sum == 1 ? 0 : 1;
}
