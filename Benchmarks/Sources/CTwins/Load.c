#include <stdlib.h>
#include <string.h>

#include "CTwins.h"
#include "Single.h"

enum { FIELDS = 5 };

/* Splits a line at its commas; field i ends before starts[i + 1] - 1. */
static int split(const char *line, const char *end, const char *starts[FIELDS + 1]) {
  int count = 0;
  starts[count++] = line;
  for (const char *at = line; at < end; at++) {
    if (*at != ',') continue;
    if (count == FIELDS) return SQLITE_MISMATCH;
    starts[count++] = at + 1;
  }
  if (count != FIELDS) return SQLITE_MISMATCH;
  starts[count] = end + 1;
  return SQLITE_OK;
}

static int bind_text(sqlite3_stmt *insert, int index, const char *start, const char *next) {
  return sqlite3_bind_text(insert, index, start, (int)(next - start - 1), SQLITE_STATIC);
}

static int insert_line(sqlite3_stmt *insert, const char *line, const char *end) {
  const char *starts[FIELDS + 1];
  int code = split(line, end, starts);
  if (code != SQLITE_OK) return code;
  char *last[3];
  int64_t id = strtoll(starts[0], &last[0], 10);
  double value = strtod(starts[3], &last[1]);
  int64_t amount = strtoll(starts[4], &last[2], 10);
  if (last[0] + 1 != starts[1] || last[1] + 1 != starts[4] || last[2] != end) return SQLITE_MISMATCH;
  if ((code = sqlite3_bind_int64(insert, 1, id)) != SQLITE_OK) return code;
  if ((code = bind_text(insert, 2, starts[1], starts[2])) != SQLITE_OK) return code;
  if ((code = bind_text(insert, 3, starts[2], starts[3])) != SQLITE_OK) return code;
  if ((code = sqlite3_bind_double(insert, 4, value)) != SQLITE_OK) return code;
  if ((code = sqlite3_bind_int64(insert, 5, amount)) != SQLITE_OK) return code;
  if ((code = sqlite3_step(insert)) != SQLITE_DONE) return code;
  return sqlite3_reset(insert);
}

static int insert_lines(sqlite3 *connection, const char *text) {
  sqlite3_stmt *insert = NULL;
  int code = sqlite3_prepare_v2(connection, "INSERT INTO event VALUES (?, ?, ?, ?, ?)", -1, &insert, NULL);
  while (code == SQLITE_OK && *text != 0) {
    const char *end = strchr(text, '\n');
    if (end == NULL) {
      code = SQLITE_MISMATCH;
      break;
    }
    code = insert_line(insert, text, end);
    text = end + 1;
  }
  return finish(insert, code);
}

/* Workload 1b: inserts a row for each line of the text in "feed", with one statement, in one transaction. */
int twin_load(sqlite3 *connection, int64_t count, int64_t *checksum) {
  sqlite3_stmt *feed = NULL;
  int code = sqlite3_prepare_v2(connection, "SELECT text FROM feed", -1, &feed, NULL);
  if (code != SQLITE_OK) return code;
  if ((code = sqlite3_step(feed)) != SQLITE_ROW) return finish(feed, code);
  const char *text = (const char *)sqlite3_column_text(feed, 0);
  code = text == NULL ? SQLITE_NOMEM : sqlite3_exec(connection, "BEGIN", NULL, NULL, NULL);
  if (code == SQLITE_OK) {
    code = insert_lines(connection, text);
    if (code == SQLITE_OK) {
      *checksum = sqlite3_last_insert_rowid(connection);
      code = sqlite3_exec(connection, "COMMIT", NULL, NULL, NULL);
    }
    if (code != SQLITE_OK) sqlite3_exec(connection, "ROLLBACK", NULL, NULL, NULL);
  }
  return finish(feed, code);
}

/* Returns a checksum of the table, to check that both sides have loaded the same rows. */
int twin_loaded(sqlite3 *connection, int64_t count, int64_t *checksum) {
  const char *sql = "SELECT sum(id * length(place) + length(kind) + value * 4 + amount) FROM event";
  return single(connection, sql, checksum);
}
