#include <stdlib.h>
#include <string.h>

#include "Bits.h"
#include "Single.h"

/* Workload 24: the rows of a table with an assigned key, two numbers and two texts, the second of which is NULL. */

typedef struct {
  int64_t id;
  char *name;
  int name_count;
  int64_t count;
  double score;
  char *note;
} Person;

static const char name[] = "hello sluice";

static int bind(sqlite3_stmt *statement, int64_t number) {
  int code = sqlite3_bind_text(statement, 1, name, sizeof name - 1, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(statement, 2, number);
  if (code == SQLITE_OK) code = sqlite3_bind_double(statement, 3, (double)number * 0.5);
  if (code == SQLITE_OK) code = sqlite3_bind_null(statement, 4);
  return code;
}

/* Runs a statement that writes a row for each number, whose key it binds unless `key` is 0, in one transaction. */
static int write(sqlite3 *connection, const char *sql, int key, int64_t count, int64_t *checksum) {
  sqlite3_stmt *statement = NULL;
  int64_t sum = 0;
  int code = sqlite3_exec(connection, "BEGIN", NULL, NULL, NULL);
  if (code != SQLITE_OK) return code;
  code = sqlite3_prepare_v2(connection, sql, -1, &statement, NULL);
  for (int64_t number = 1; number <= count && code == SQLITE_OK; number++) {
    if ((code = bind(statement, number)) != SQLITE_OK) break;
    if (key > 0 && (code = sqlite3_bind_int64(statement, key, number)) != SQLITE_OK) break;
    if ((code = sqlite3_step(statement)) != SQLITE_DONE) break;
    sum += key > 0 ? sqlite3_changes(connection) : sqlite3_last_insert_rowid(connection);
    code = sqlite3_reset(statement);
  }
  *checksum = sum;
  code = finish(statement, code);
  if (code == SQLITE_OK) return sqlite3_exec(connection, "COMMIT", NULL, NULL, NULL);
  sqlite3_exec(connection, "ROLLBACK", NULL, NULL, NULL);
  return code;
}

int twin_models_inserted(sqlite3 *connection, int64_t count, int64_t *checksum) {
  return write(connection, "INSERT INTO person(name, count, score, note) VALUES (?, ?, ?, ?)", 0, count, checksum);
}

int twin_models_updated(sqlite3 *connection, int64_t count, int64_t *checksum) {
  return write(connection, "UPDATE person SET name = ?, count = ?, score = ?, note = ? WHERE id = ?", 5, count,
               checksum);
}

static int copy_text(sqlite3_stmt *statement, int column, char **text, int *count) {
  *text = NULL;
  *count = 0;
  if (sqlite3_column_type(statement, column) == SQLITE_NULL) return SQLITE_OK;
  const unsigned char *bytes = sqlite3_column_text(statement, column);
  if (bytes == NULL) return SQLITE_NOMEM;
  *count = sqlite3_column_bytes(statement, column);
  if ((*text = malloc((size_t)*count + 1)) == NULL) return SQLITE_NOMEM;
  memcpy(*text, bytes, (size_t)*count + 1);
  return SQLITE_OK;
}

static int read_person(sqlite3_stmt *statement, Person *person) {
  int note_count;
  person->id = sqlite3_column_int64(statement, 0);
  person->count = sqlite3_column_int64(statement, 2);
  person->score = sqlite3_column_double(statement, 3);
  int code = copy_text(statement, 1, &person->name, &person->name_count);
  if (code != SQLITE_OK) return code;
  code = copy_text(statement, 4, &person->note, &note_count);
  if (code != SQLITE_OK) free(person->name);
  return code;
}

static uint64_t drop(Person person) {
  free(person.name);
  free(person.note);
  return (uint64_t)person.id + bits(person.score) + (uint64_t)person.count + (uint64_t)person.name_count;
}

int twin_model_by_key(sqlite3 *connection, int64_t count, int64_t *checksum) {
  sqlite3_stmt *statement = NULL;
  uint64_t sum = 0;
  int code = sqlite3_prepare_v2(connection, "SELECT id, name, count, score, note FROM person WHERE id = ?", -1,
                                &statement, NULL);
  for (int64_t i = 0; i < count && code == SQLITE_OK; i++) {
    Person person;
    if ((code = sqlite3_bind_int64(statement, 1, i * 7919 % count + 1)) != SQLITE_OK) break;
    if ((code = sqlite3_step(statement)) != SQLITE_ROW) break;
    if ((code = read_person(statement, &person)) != SQLITE_OK) break;
    sum += drop(person);
    code = sqlite3_reset(statement);
  }
  *checksum = (int64_t)sum;
  return finish(statement, code);
}

int twin_all_models(sqlite3 *connection, int64_t count, int64_t *checksum) {
  sqlite3_stmt *statement = NULL;
  uint64_t sum = 0;
  int64_t found = 0;
  Person *people = malloc((size_t)count * sizeof *people);
  if (people == NULL) return SQLITE_NOMEM;
  int code = sqlite3_prepare_v2(connection, "SELECT id, name, count, score, note FROM person", -1, &statement, NULL);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    if ((code = sqlite3_step(statement)) != SQLITE_ROW || found == count) break;
    if ((code = read_person(statement, &people[found])) != SQLITE_OK) break;
    found++;
  }
  code = finish(statement, code);
  for (int64_t i = 0; i < found; i++) sum += drop(people[i]);
  free(people);
  *checksum = (int64_t)sum;
  return code;
}

/* Returns a checksum of the table, to check that both sides have written the same rows. */
int twin_models_written(sqlite3 *connection, int64_t count, int64_t *checksum) {
  return single(connection, "SELECT sum(id * length(name) + count + score * 2) + count(note) FROM person", checksum);
}
