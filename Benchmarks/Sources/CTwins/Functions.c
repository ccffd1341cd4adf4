#include <string.h>

#include "Single.h"

static void increment(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_result_int64(context, sqlite3_value_int64(values[0]) + 1);
}

/* Workload 8a: calls a function from an integer to an integer. */
int twin_integer_function(sqlite3 *connection, int64_t count, int64_t *checksum) {
  int code = sqlite3_create_function_v2(connection, "increment", 1, SQLITE_UTF8, NULL, increment, NULL, NULL,
                                        NULL);
  if (code != SQLITE_OK) return code;
  return single(connection, "SELECT sum(increment(id)) FROM sample", checksum);
}

static void exclaim(sqlite3_context *context, int count, sqlite3_value **values) {
  const unsigned char *text = sqlite3_value_text(values[0]);
  if (text == NULL) {
    if (sqlite3_value_type(values[0]) != SQLITE_NULL) sqlite3_result_error_nomem(context);
    return;
  }
  int size = sqlite3_value_bytes(values[0]);
  char *result = sqlite3_malloc64((sqlite3_uint64)size + 2);
  if (result == NULL) {
    sqlite3_result_error_nomem(context);
    return;
  }
  memcpy(result, text, (size_t)size);
  memcpy(result + size, "!", 2);
  /* Pass NUL-terminated text, so that SQLite need not move it to append a NUL when it is read. */
  sqlite3_result_text(context, result, -1, sqlite3_free);
}

/* Workload 8b: calls a function from text to text. */
int twin_text_function(sqlite3 *connection, int64_t count, int64_t *checksum) {
  int code = sqlite3_create_function_v2(connection, "exclaim", 1, SQLITE_UTF8, NULL, exclaim, NULL, NULL,
                                        NULL);
  if (code != SQLITE_OK) return code;
  return single(connection, "SELECT sum(length(exclaim(label))) FROM sample", checksum);
}

static void common_prefix(sqlite3_context *context, int count, sqlite3_value **values) {
  const unsigned char *first = sqlite3_value_text(values[0]);
  const unsigned char *second = sqlite3_value_text(values[1]);
  if (first == NULL || second == NULL) {
    int isNull = sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL;
    if (!isNull) sqlite3_result_error_nomem(context);
    return;
  }
  int first_size = sqlite3_value_bytes(values[0]);
  int second_size = sqlite3_value_bytes(values[1]);
  int size = first_size < second_size ? first_size : second_size;
  int length = 0;
  while (length < size && first[length] == second[length]) length++;
  sqlite3_result_int64(context, length);
}

/* Workload 8t: calls a function of two texts. */
int twin_two_texts_function(sqlite3 *connection, int64_t count, int64_t *checksum) {
  int code = sqlite3_create_function_v2(connection, "common_prefix", 2, SQLITE_UTF8, NULL, common_prefix, NULL,
                                        NULL, NULL);
  if (code != SQLITE_OK) return code;
  return single(connection, "SELECT sum(common_prefix(first, second)) FROM pair", checksum);
}

static void total_step(sqlite3_context *context, int count, sqlite3_value **values) {
  int64_t *total = sqlite3_aggregate_context(context, sizeof *total);
  if (total == NULL) {
    sqlite3_result_error_nomem(context);
    return;
  }
  *total += sqlite3_value_int64(values[0]);
}

static void total_final(sqlite3_context *context) {
  int64_t *total = sqlite3_aggregate_context(context, 0);
  sqlite3_result_int64(context, total == NULL ? 0 : *total);
}

/* Workload 8c: calls an aggregate. */
int twin_aggregate(sqlite3 *connection, int64_t count, int64_t *checksum) {
  int code = sqlite3_create_function_v2(connection, "integer_sum", 1, SQLITE_UTF8, NULL, NULL, total_step,
                                        total_final, NULL);
  if (code != SQLITE_OK) return code;
  return single(connection, "SELECT integer_sum(id) FROM sample", checksum);
}
