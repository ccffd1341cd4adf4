/// The progress of an import, a dump or a load.
public struct DataProgress: Hashable, Sendable {
  /// The number of rows so far: of rows that an import inserted or updated, that a dump wrote, or that a script changed.
  ///
  /// An import also counts a row that a trigger or a conflict clause of the table ignores.
  public internal(set) var rowCount = 0
  /// The number of rows that an import refused.
  public internal(set) var refusedCount = 0
  /// The number of bytes that were read or written.
  ///
  /// To find the types for a new table, an import reads a file twice, and each byte counts twice.
  public internal(set) var byteCount = 0
  /// The value of ``byteCount`` at the end; nil if the size of the data is unknown, as it is during a dump.
  public internal(set) var totalByteCount: Int?

  /// The completed fraction, between 0 and 1; nil if the size of the data is unknown.
  public var fraction: Double? {
    totalByteCount.map { $0 == 0 ? 1 : min(1, Double(byteCount) / Double($0)) }
  }
}
