#include <stdlib.h>
#include <string.h>

#include "Bits.h"
#include "CTwins.h"
#include "Finish.h"

typedef struct {
  /* Seconds since the beginning of 2001. */
  double day;
  uint8_t person[16];
} Visit;

/* Returns the number that this many digits represent, or -1 if there are other characters. */
static int64_t digits(const char *text, int count) {
  int64_t number = 0;
  for (int i = 0; i < count; i++) {
    if (text[i] < '0' || text[i] > '9') return -1;
    number = number * 10 + (text[i] - '0');
  }
  return number;
}

/* Parses a time in UTC, such as "2001-01-01 00:00:00.000". */
static int read_day(const char *text, int count, double *day) {
  static const int lengths[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (count != 23 || text[4] != '-' || text[7] != '-' || text[10] != ' ' || text[13] != ':' || text[16] != ':' ||
      text[19] != '.') {
    return SQLITE_MISMATCH;
  }
  int64_t y = digits(text, 4), m = digits(text + 5, 2), d = digits(text + 8, 2), hour = digits(text + 11, 2);
  int64_t minute = digits(text + 14, 2), second = digits(text + 17, 2), milli = digits(text + 20, 3);
  int leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
  if (y < 0 || m < 1 || m > 12 || d < 1 || d > lengths[m - 1] || (m == 2 && d == 29 && !leap) || hour < 0 ||
      hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 || milli < 0) {
    return SQLITE_MISMATCH;
  }
  /* Count years from March, starting 400 years before the year 0, so that no number is negative. */
  int64_t year = (m <= 2 ? y - 1 : y) + 400;
  int64_t of_year = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
  int64_t days = year * 365 + year / 4 - year / 100 + year / 400 + of_year - 146097 - 719468;
  int64_t seconds = days * 86400 + hour * 3600 + minute * 60 + second - 978307200;
  *day = (double)(seconds * 1000 + milli) / 1000;
  return SQLITE_OK;
}

static int nibble(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

static int read_person(const char *text, int count, uint8_t person[16]) {
  if (count != 36) return SQLITE_MISMATCH;
  for (int i = 0; i < 16; i++) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      if (*text++ != '-') return SQLITE_MISMATCH;
    }
    int high = nibble(text[0]), low = nibble(text[1]);
    if (high < 0 || low < 0) return SQLITE_MISMATCH;
    person[i] = (uint8_t)(high << 4 | low);
    text += 2;
  }
  return SQLITE_OK;
}

/* Workload 2d: reads a time and a UUID from text, with handwritten code. */
int twin_visits(sqlite3 *connection, int64_t count, int64_t *checksum) {
  sqlite3_stmt *statement = NULL;
  uint64_t sum = 0;
  int code = sqlite3_prepare_v2(connection, "SELECT day, person FROM visit", -1, &statement, NULL);
  if (code != SQLITE_OK) return code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    Visit visit;
    const char *day = (const char *)sqlite3_column_text(statement, 0);
    if (day == NULL) code = SQLITE_NOMEM;
    if (code == SQLITE_ROW) code = read_day(day, sqlite3_column_bytes(statement, 0), &visit.day);
    const char *person = (const char *)sqlite3_column_text(statement, 1);
    if (person == NULL) code = SQLITE_NOMEM;
    if (code == SQLITE_OK) code = read_person(person, sqlite3_column_bytes(statement, 1), visit.person);
    if (code != SQLITE_OK) break;
    sum += bits(visit.day) + visit.person[0] + visit.person[15];
  }
  *checksum = (int64_t)sum;
  return finish(statement, code);
}
