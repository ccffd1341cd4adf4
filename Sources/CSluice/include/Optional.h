#ifndef CSLUICE_OPTIONAL_H
#define CSLUICE_OPTIONAL_H

#include <sqlite3.h>

/* Functions that some builds of SQLite lack, as weak symbols. Where one is missing, what is declared here calls nothing
 * and answers with SQLITE_NOTFOUND, or with null where the answer is a pointer. */

/// `sqlite3_compileoption_get`, or null where SQLite was built without it.
const char *sluice_compileoption_get(int index);

#endif
