#include <stdint.h>
#include <string.h>

/* A double as it lies in memory: neither side pays for a conversion that is not the library's. */
static inline uint64_t bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
