#include <stdint.h>
#include <string.h>

/* Returns the bits of a double in memory, so that neither side pays for a conversion outside the library. */
static inline uint64_t bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
