/// A database that a connection has open: the main one, the one for temporary tables, or one that
/// ``Connection/attach(path:as:readOnly:create:encryptionKey:)`` has added.
public struct AttachedDatabase: Hashable, Sendable {
  /// The name in SQL, as in `SELECT * FROM archive.person`.
  public let name: String
  /// The full path of the file, or nil if there is none that others can open.
  ///
  /// The corresponding C function is `sqlite3_db_filename`.
  public let path: String?
  /// Whether the database cannot be written.
  ///
  /// The corresponding C function is `sqlite3_db_readonly`.
  public let isReadOnly: Bool
}
