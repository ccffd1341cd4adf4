#include "CSluice.h"

#include <stdio.h>

int sluice_db_config(sqlite3 *connection, int operation, int value, int *now) {
  return sqlite3_db_config(connection, operation, value, now);
}

int sluice_vtab_config(sqlite3 *connection, int operation, int value) {
  return sqlite3_vtab_config(connection, operation, value);
}

void *sluice_allocate(uint64_t size) {
  void *memory = sqlite3_malloc64(size);
  if (memory) memset(memory, 0, size);
  return memory;
}

char *sluice_message(const char *message) { return sqlite3_mprintf("%s", message); }

int sluice_config_log(void (*log)(void *, int, const char *), void *argument) {
  return sqlite3_config(SQLITE_CONFIG_LOG, log, argument);
}

int sluice_config_int(int operation, int value) { return sqlite3_config(operation, value); }

int sluice_config_ints(int operation, int first, int second) {
  return sqlite3_config(operation, first, second);
}

int sluice_config_int64(int operation, int64_t value) {
  return sqlite3_config(operation, (sqlite3_int64)value);
}

int sluice_config_int64s(int operation, int64_t first, int64_t second) {
  return sqlite3_config(operation, (sqlite3_int64)first, (sqlite3_int64)second);
}

void sluice_log(int code, const char *message) { sqlite3_log(code, "%s", message); }

int sluice_fts5(sqlite3 *connection, fts5_api **api) {
  sqlite3_stmt *statement = 0;
  *api = 0;
  int code = sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, 0);
  if (code != SQLITE_OK) return code;
  sqlite3_bind_pointer(statement, 1, api, "fts5_api_ptr", 0);
  sqlite3_step(statement);
  return sqlite3_finalize(statement);
}

static _Thread_local int monitors;

void sluice_enter_monitor(int change) { monitors += change; }

int sluice_is_in_monitor(void) { return monitors != 0; }

static _Thread_local struct {
  int depth;
  int is_link;
  int code;
  char message[500];
} files;

void sluice_enter_file_system(int change) { files.depth += change; }

int sluice_is_in_file_system(void) { return files.depth > 0; }

void sluice_note_symbolic_link(int is_link) { files.is_link = is_link; }

int sluice_saw_symbolic_link(void) { return files.is_link; }

void sluice_keep_failure(int code, const char *message) {
  sqlite3_log(code, "%s", message);
  if (files.code != 0) return;
  files.code = code;
  snprintf(files.message, sizeof files.message, "%s", message);
}

const char *sluice_take_failure(int code) {
  int kept = files.code;
  files.code = 0;
  return kept != 0 && (kept & 0xff) == (code & 0xff) ? files.message : 0;
}
