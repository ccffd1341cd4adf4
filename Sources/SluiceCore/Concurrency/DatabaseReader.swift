/// What many threads and tasks can read from: rows as streams, and values that are observed.
public protocol DatabaseReader: Sendable {
  /// The way to the database.
  var access: DatabaseAccess { get }
}

/// The way to a database, for those who read it.
public struct DatabaseAccess: Sendable {
  /// Where it is read.
  let reader: ConnectionLine
  /// Where it is written, and can be told what has changed.
  let writer: ConnectionLine
  /// The path of the main database, or nil if it is no file.
  public var path: String? { writer.path }
}

extension ConnectionQueue: DatabaseReader {
  public var access: DatabaseAccess { DatabaseAccess(reader: line, writer: line) }
}

extension ConnectionReadQueue: DatabaseReader {
  public var access: DatabaseAccess { DatabaseAccess(reader: line, writer: writer ?? line) }
}
