/// What a decoder needs, which reads a row from outside of the closure that the row is lent to.
extension Row {
  /// The statement that stands on this row.
  @inlinable package var source: Statement { statement }

  /// The same row, to be kept: like any other it throws ``ResultCode/misuse`` once its step has passed.
  @inlinable package func again() -> Row { Row(statement, generation) }

  @inlinable
  init(_ statement: Statement, _ generation: UInt) {
    self.statement = statement
    self.generation = generation
  }

  /// The index of the first column of this name, or nil if there is none.
  @inlinable @inline(__always)
  package func column(named name: String) throws -> Int? {
    if unsafe generation == statement.position, let index = statement.columns.guess(name) {
      return index
    }
    return try find(name)
  }
}
