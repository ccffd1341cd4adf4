/// Something that SQLite counts for a connection.
///
/// Lookaside is memory that a connection has set aside for small things; a SQLite that is built without
/// it counts nothing there.
///
/// The corresponding C values are `SQLITE_DBSTATUS_*`.
public enum ConnectionCounter: Int32, Hashable, Sendable, CaseIterable {
  /// Pieces of lookaside memory in use, now and at the most.
  case lookasideUsed = 0
  /// Bytes of pages in memory, of which there is no highest.
  case cacheUsed = 1
  /// Bytes for the schemas of all databases, of which there is no highest.
  case schemaUsed = 2
  /// Bytes for all prepared statements, of which there is no highest.
  case statementsUsed = 3
  /// Requests for memory that lookaside met, of which only the highest is counted.
  case lookasideHits = 4
  /// Requests that were too large for lookaside, of which only the highest is counted.
  case lookasideTooLarge = 5
  /// Requests for which lookaside had no room, of which only the highest is counted.
  case lookasideFull = 6
  /// Pages that were found in memory, since the count was reset.
  case cacheHits = 7
  /// Pages that had to be read, since the count was reset.
  case cacheMisses = 8
  /// Pages that were written, since the count was reset.
  case cacheWrites = 9
  /// 1 if foreign keys are violated that the transaction has to mend before it ends, and else 0.
  case unresolvedForeignKeys = 10
  /// As ``cacheUsed``, with each cache that connections share divided by their number.
  case sharedCacheUsed = 11
  /// Pages that were written in the middle of a transaction because memory was short, since the count was
  /// reset.
  case cacheSpills = 12
}
