import CSluice

/// Members for a decoder, which reads the row outside the closure that borrows it.
extension Row {
  /// The statement that this row belongs to.
  @inlinable package var source: Statement { statement }

  /// Returns a copy of this reference to the row, which the caller can keep.
  ///
  /// Like every row, it is valid until the statement is stepped or reset.
  @inlinable package func reference() -> Row { Row(statement, generation) }

  @inlinable
  init(_ statement: Statement, _ generation: UInt) {
    self.statement = statement
    self.generation = generation
  }

  /// Returns the index of the first column with this name, or nil if there is none.
  @inlinable @inline(__always)
  package func column(named name: String) throws -> Int? {
    if generation == statement.currentRow.position, let index = statement.resultColumns.guess(name)
    {
      return index
    }
    return try find(name)
  }
}

/// The parts of a row, which are read in order.
@usableFromInline package struct RowParts {
  @usableFromInline let all: [ColumnPart]
  @usableFromInline var index = 0

  /// Creates the parts of a row for a type; `make` creates them from the names of all columns.
  @inlinable @inline(__always)
  package init(
    of row: borrowing Row, for owner: ObjectIdentifier,
    _ make: (_ names: [String]) throws -> [ColumnPart]
  ) throws {
    if let parts = unsafe row.source.resultColumns.parts, parts.owner == owner {
      all = parts.all
    } else {
      all = try row.newParts(for: owner, make)
    }
  }

  /// Calls a closure with the next part.
  ///
  /// The array keeps the part alive, so that a row costs no reference counting for each part.
  @inlinable @inline(__always)
  package mutating func withNext<T>(_ body: (ColumnPart) throws -> T) rethrows -> T {
    defer { withExtendedLifetime(all) { index += 1 } }
    return try unsafe Unmanaged.passUnretained(all[index])._withUnsafeGuaranteedRef(body)
  }
}

extension RowParts {
  /// The index of the first column after those of the parts.
  @usableFromInline package var end: Int { (all.last?.indices.last ?? -1) + 1 }
}

/// Parts of a row that are read as one value each, such as the columns of one table in a join.
extension Row {
  @usableFromInline @inline(never)
  func newParts(
    for owner: ObjectIdentifier, _ make: (_ names: [String]) throws -> [ColumnPart]
  ) throws -> [ColumnPart] {
    let parts = try make(unsafe statement.resultColumns.names(of: openHandle()))
    statement.resultColumns.setParts(parts, for: owner)
    return parts
  }

  /// Returns the part with the columns whose names begin with a prefix; nil if there are none.
  package func part(prefix: String) throws -> ColumnPart? {
    try unsafe statement.resultColumns.part(prefix: prefix, of: openHandle())
  }

  /// Returns the part with a name, which consists of these columns; nil if the row has none of them.
  ///
  /// Each column has its name in the part. If the row has only some of them, this method throws ``ResultCode/range``.
  package func part(
    named name: String, _ columns: [(column: String, name: String)]
  ) throws -> ColumnPart? {
    try unsafe statement.resultColumns.part(named: name, columns, of: openHandle())
  }

  /// Returns the names by which a column can be found: in a part, those of its columns.
  package func foundNames() throws -> [String] {
    try unsafe statement.resultColumns.foundNames(of: openHandle())
  }

  /// Calls a closure during which names refer only to the columns of a part.
  @inlinable @inline(__always)
  package func read<T>(_ part: ColumnPart, _ body: (borrowing Row) throws -> T) throws -> T {
    let columns = statement.resultColumns
    unsafe swap(&columns.lookup, &part.lookup)
    defer { unsafe swap(&columns.lookup, &part.lookup) }
    return try body(self)
  }

  /// Returns whether all columns of a part are NULL.
  @usableFromInline
  package func isNull(_ part: ColumnPart) throws -> Bool {
    let handle = try unsafe openHandle()
    return part.indices.allSatisfy { index in
      unsafe sqlite3_column_type(handle, Int32(truncatingIfNeeded: index)) == SQLITE_NULL
    }
  }
}
