#ifndef EXTENSION_H
#define EXTENSION_H

struct sqlite3;
struct sqlite3_api_routines;

/// The entry point of an extension that adds the function `half`.
int sqlite3_half_init(struct sqlite3 *connection, char **message, const struct sqlite3_api_routines *routines);

/// The entry point of an extension that fails with a message if it has a place for one, and with `code`.
int sqlite3_broken_init(struct sqlite3 *connection, char **message, int code);

/// The entry point of the extension as a header declares it that knows the type of the routines.
int sqlite3_typed_half_init(struct sqlite3 *connection, char **message, const int *routines);

#endif
