import Sluice

extension Operation {
  /// All operations whose time and instructions are measured.
  static let all = [
    Operation("1", "insert three values", target: 1.10, count: 200_000) {
      try Insert(count: $0, Insert.values)
    },
    Operation("1i", "insert three values, interpolated", target: 1.35, count: 200_000) {
      try Insert(count: $0, Insert.interpolated)
    },
    Operation("1b", "load of comma separated values", target: 1.30, count: 200_000) {
      try BulkLoad(count: $0, BulkLoad.byHand)
    },
    Operation("2-string", "fetch by index", target: 1.20, count: 200_000) {
      try Fetch(count: $0)
    },
    Operation("2t", "fetch as tuples", target: 1.30, count: 200_000) {
      try FetchTuples(count: $0)
    },
    Operation("2-borrowed", "fetch by index, borrowed UTF-8", target: 1.05, count: 200_000) {
      try FetchLent(count: $0)
    },
    Operation("2L-string", "fetch by index, 44 bytes of text", target: 1.45, count: 200_000) {
      try Fetch(count: $0, label: .long)
    },
    Operation("2L-borrowed", "fetch by index, 44 borrowed bytes", target: 1.05, count: 200_000) {
      try FetchLent(count: $0, label: .long)
    },
    Operation("2d", "fetch of dates and UUIDs", target: 2.60, count: 200_000) {
      try Visits(count: $0)
    },
    Operation("3", "fetch by name", target: 1.30, count: 200_000) {
      try FetchByName(count: $0)
    },
    Operation("4", "structs, by Decodable", target: 2.20, count: 200_000) {
      try Records(count: $0, .decoding())
    },
    Operation("4b", "structs, by name", target: 1.35, count: 200_000) {
      try Records(count: $0, .recordByName)
    },
    Operation("4c", "structs, by index", target: 1.12, count: 200_000) {
      try Records(count: $0, .recordByIndex)
    },
    Operation("4j", "structs with a nested JSON array", target: 3.00, count: 100_000) {
      try Parcels(count: $0)
    },
    Operation("4w-index", "structs of 40 columns, by index", target: 1.20, count: 20_000) {
      try WideRecords(count: $0, .wideRecord)
    },
    Operation("4w-decodable", "structs of 40 columns, by Decodable", target: 2.20, count: 20_000) {
      try WideRecords(count: $0, .decoding())
    },
    Operation("5", "insert of structs, by Encodable", target: 1.55, count: 200_000) {
      try Insert(count: $0, Insert.structs)
    },
    Operation("6", "point query, statement used again", target: 1.10, count: 100_000) {
      try PointQuery(count: $0)
    },
    Operation("6b", "point query, SQL each time", target: 1.25, count: 100_000) {
      try PointQueryBySQL(count: $0, PointQueryBySQL.parameters)
    },
    Operation("6i", "point query, interpolated", target: 1.30, count: 100_000) {
      try PointQueryBySQL(count: $0, PointQueryBySQL.interpolated)
    },
    Operation("6c", "point query, 1,000 statements in turn", target: 1.35, count: 400_000) {
      try ManyQueries.many(count: $0)
    },
    Operation("6d", "point query, 32 statements beside others", target: 1.45, count: 100_000) {
      try ManyQueries.hot(count: $0)
    },
    Operation("7-bytes", "blob of 4 KiB as bytes", target: 1.10, count: 20_000) {
      try BlobAsBytes(count: $0)
    },
    Operation("7-data", "blob of 4 KiB as Data", target: 1.10, count: 20_000) {
      try BlobAsData(count: $0)
    },
    Operation("7-borrowed", "blob of 4 KiB, borrowed", target: 1.05, count: 20_000) {
      try BlobLent(count: $0)
    },
    Operation("8a-closure", "function of an integer", target: 1.25, count: 200_000) {
      try IntegerFunction(count: $0)
    },
    Operation("8a-typed", "function of an integer, typed", target: 1.35, count: 200_000) {
      try TypedIntegerFunction(count: $0)
    },
    Operation("8b", "function of text", target: 1.30, count: 200_000) {
      try TextFunction(count: $0)
    },
    Operation("8t-string", "function of two texts", target: 1.60, count: 200_000) {
      try TwoStringsFunction(count: $0)
    },
    Operation("8t-borrowed", "function of two texts, borrowed", target: 1.15, count: 200_000) {
      try TwoSpansFunction(count: $0)
    },
    Operation("8c", "aggregate", target: 1.30, count: 200_000) {
      try Aggregate(count: $0)
    },
    Operation("vtab-table", "rows of a virtual table", target: 1.50, count: 200_000) {
      try SeriesTable(count: $0)
    },
    Operation("vtab-function", "rows of a table-valued function", target: 2.20, count: 200_000) {
      try SeriesFunction(count: $0)
    },
    Operation("9-bytes", "ORDER BY a collation of bytes", target: 1.20, count: 50_000) {
      try CollationOfBytes(count: $0)
    },
    Operation("9-string", "ORDER BY a collation of strings", target: 2.50, count: 50_000) {
      try CollationOfStrings(count: $0)
    },
    Operation("10", "round trip through a queue", target: 2.00, count: 100_000) {
      try RoundTrip(count: $0)
    },
    Operation("11-read", "a read by a pool", target: 1.20, count: 50_000) {
      try PoolRead(count: $0)
    },
    Operation(
      "11-reads", "reads by a pool that writes", target: 1.20, count: 50_000, clock: .wall
    ) {
      try Mix(count: $0, .reads)
    },
    Operation(
      "11-writes", "writes by a pool that reads", target: 1.20, count: 10_000, clock: .wall
    ) {
      try Mix(count: $0, .writes)
    },
    Operation("12", "commit, observer and query", target: 1.60, count: 40_000) {
      try Commits(count: $0)
    },
    Operation("12m", "mixed transaction in a file with a WAL", target: 1.25, count: 40_000) {
      try MixedTransaction(count: $0)
    },
    Operation("14", "backup to a file, 4 KiB", target: 1.05, count: 51_200) {
      try BackupToFile(count: $0)
    },
    Operation("19", "joined rows as models", target: 1.15, count: 100_000) {
      try JoinedRows(count: $0)
    },
    Operation("20", "insert that returns the row", target: 1.10, count: 100_000) {
      try ReturningInsert(count: $0)
    },
    Operation("21", "live value after a commit", target: 1.05, count: 20_000) {
      try LiveUpdates(count: $0)
    },
    Operation("22", "import of comma-separated values", target: 2.40, count: 200_000) {
      try BulkLoad(count: $0, BulkLoad.imported)
    },
    Operation("23", "export of comma-separated values", target: 2.00, count: 200_000) {
      try ExportRows(count: $0)
    },
    Operation("24-insert", "insert of models with assigned keys", target: 3.50, count: 50_000) {
      try Models(count: $0, .insert)
    },
    Operation("24-array", "insert of an array of models", target: 1.50, count: 50_000) {
      try Models(count: $0, .insertAll)
    },
    Operation("24-update", "update of models", target: 3.50, count: 50_000) {
      try Models(count: $0, .update)
    },
    Operation("24-key", "models by key", target: 2.50, count: 50_000) {
      try Models(count: $0, .fetchByKey)
    },
    Operation("24-rows", "all models of a table", target: 2.20, count: 50_000) {
      try Models(count: $0, .fetchAll)
    },
    Operation("25", "connection opened, asked once and closed", target: 2.00, count: 5_000) {
      try OpenAndClose(count: $0)
    },
    Operation(
      "16-reads", "8 threads and 4 readers, one thread writes", target: 1.43, count: 100_000,
      clock: .wall
    ) {
      try Contention(count: $0, .pool(readers: 4))
    },
    Operation(
      "16-p99", "99th percentile of these reads", target: 5.00, count: 100_000, clock: .wall
    ) {
      try Contention(count: $0, .pool(readers: 4), .percentile)
    },
    Operation(
      "16-least", "a read of the thread that gets the fewest", target: 2.00, count: 100_000,
      clock: .wall
    ) {
      try Contention(count: $0, .pool(readers: 4), .unluckiest)
    },
    Operation(
      "16-writes", "a transaction of the thread that writes", target: 2.00, count: 100_000,
      clock: .wall
    ) {
      try Contention(count: $0, .pool(readers: 4), .timeOfCommit)
    },
    Operation(
      "16-eight", "8 threads and 8 readers, one thread writes", target: 1.43, count: 100_000,
      clock: .wall
    ) {
      try Contention(count: $0, .pool(readers: 8))
    },
    Operation(
      "17-reads", "8 threads read by one queue", target: 1.67, count: 100_000, clock: .wall
    ) {
      try Contention(count: $0, .queue)
    },
    Operation(
      "17-p99", "99th percentile of these reads", target: 5.00, count: 100_000, clock: .wall
    ) {
      try Contention(count: $0, .queue, .percentile)
    },
    Operation(
      "17-least", "a read of the thread that gets the fewest", target: 2.00, count: 100_000,
      clock: .wall
    ) {
      try Contention(count: $0, .queue, .unluckiest)
    },
    Operation(
      "18", "100 tasks read by one queue", target: 3.00, count: 50_000, clock: .wall
    ) {
      try Contention(count: $0, .tasks)
    },
    // These operations are compared with equivalent handwritten Swift code instead of C.
    Operation("15-key", "generated function, by hand: a row by key", target: 1.05, count: 100_000) {
      try GeneratedFunction(count: $0, .key)
    },
    Operation("15-rows", "generated function, by hand: structs", target: 1.05, count: 200_000) {
      try GeneratedFunction(count: $0, .rows)
    },
  ]
}
