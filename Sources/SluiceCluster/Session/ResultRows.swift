import SluiceCore

/// The rows of a result, which are read from the leader's answer as they are needed.
///
/// If another request must be sent before the last row was read, the rest of the answer is kept in memory.
final class ResultRows {
  private unowned let reader: AnswerReader
  let width: Int
  private var source: Source

  private enum Source {
    /// The answer, of which rows are still to come.
    case answer(RemoteRows)
    /// The rows of an answer that was read in advance, and the index of the current row.
    case kept([[DatabaseValue]], Int)
    case over
  }

  init(_ rows: RemoteRows, of reader: AnswerReader) {
    self.reader = reader
    width = rows.names.count
    source = .answer(rows)
  }

  /// Moves to the next row, and returns whether there is one.
  func next() throws -> Bool {
    switch source {
    case .answer(let rows):
      if try reader.next(rows) { return true }
      close()
      return false
    case .kept(let rows, let index):
      guard index + 1 < rows.count else {
        source = .over
        return false
      }
      source = .kept(rows, index + 1)
      return true
    case .over: return false
    }
  }

  /// Returns a value of the current row.
  func value(at index: Int) throws -> DatabaseValue {
    switch source {
    case .answer(let rows): try rows.value(at: index)
    case .kept(let rows, let row): rows[row][index]
    case .over: .null
    }
  }

  /// Reads the rest of the answer into memory, so that the connection to the node can be used again.
  ///
  /// The current row remains the current one.
  func keep(current: Bool) throws {
    guard case .answer(let rows) = source else { return }
    var kept = [current ? try values(of: rows) : []]
    while try reader.next(rows) { kept.append(try values(of: rows)) }
    source = .kept(kept, 0)
    reader.forget(self)
  }

  private func values(of rows: RemoteRows) throws -> [DatabaseValue] {
    try (0..<width).map { try rows.value(at: $0) }
  }

  /// Ends the reading of rows.
  func close() {
    if case .answer(let rows) = source { reader.discard(rows) }
    source = .over
    reader.forget(self)
  }
}
