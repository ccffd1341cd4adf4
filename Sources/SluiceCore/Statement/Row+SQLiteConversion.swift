/// Columns by SQLite's own rules of conversion, which never fail on a value but may lose some of it.
extension Row {
  /// The value as an integer, where NULL throws.
  ///
  /// Text gives the number that it begins with, or 0, and a real its whole part.
  ///
  /// The corresponding C function is `sqlite3_column_int64`.
  public func integer(at index: Int) throws -> Int64 {
    try notNull(index).integer
  }

  /// The value as an integer, as ``integer(at:)`` gives it.
  public func integer(named name: String) throws -> Int64 {
    try integer(at: index(named: name))
  }

  /// The value as a real, where NULL throws.
  ///
  /// Text gives the number that it begins with, or 0.
  ///
  /// The corresponding C function is `sqlite3_column_double`.
  public func real(at index: Int) throws -> Double {
    try notNull(index).real
  }

  /// The value as a real, as ``real(at:)`` gives it.
  public func real(named name: String) throws -> Double {
    try real(at: index(named: name))
  }

  /// The value as text, where NULL throws, and what is not UTF-8.
  ///
  /// A number becomes what SQLite writes for it.
  ///
  /// The corresponding C function is `sqlite3_column_text`.
  public func text(at index: Int) throws -> String {
    let column = try notNull(index)
    do { return try column.text() } catch { throw failure(error, index) }
  }

  /// The value as text, as ``text(at:)`` gives it.
  public func text(named name: String) throws -> String {
    try text(at: index(named: name))
  }

  /// The value as bytes, where NULL throws.
  ///
  /// Those of text are its UTF-8, also where that is wrong.
  ///
  /// The corresponding C function is `sqlite3_column_blob`.
  public func blob(at index: Int) throws -> [UInt8] {
    let column = try notNull(index)
    do { return try column.blob() } catch { throw failure(error, index) }
  }

  /// The value as bytes, as ``blob(at:)`` gives it.
  public func blob(named name: String) throws -> [UInt8] {
    try blob(at: index(named: name))
  }

  private func notNull(_ index: Int) throws -> Column {
    let column = try column(index)
    guard column.storageClass != .null else { throw mismatch(at: index, "is NULL") }
    return column
  }
}
