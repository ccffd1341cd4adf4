import CSluice

/// The order of two values.
public enum SQLOrder: Hashable, Sendable, CaseIterable {
  /// The first value comes first.
  case ascending
  /// Neither value comes first.
  case same
  /// The second value comes first.
  case descending

  /// Creates the order of two comparable values.
  public init<T: Comparable>(_ first: T, _ second: T) {
    self = first < second ? .ascending : first == second ? .same : .descending
  }

  fileprivate var sign: Int32 {
    switch self {
    case .ascending: -1
    case .same: 0
    case .descending: 1
    }
  }
}

extension Connection {
  /// Adds a collation that compares text, as in `ORDER BY name COLLATE by_length`.
  ///
  /// ```swift
  /// try connection.addCollation("by_length") { SQLOrder($0.count, $1.count) }
  /// ```
  ///
  /// `compare` must be consistent: if a is before b and b is before c, then a is before c, at all times. If the
  /// order changes later, an index that uses the collation is corrupt until `REINDEX` rebuilds it. For example,
  /// the order that a locale defines can change between versions of the locale.
  ///
  /// `compare` cannot use the connection, because SQLite is in the middle of a search or a sort: statements
  /// throw ``ResultCode/misuse``.
  ///
  /// In text that is not UTF-8, U+FFFD replaces the invalid bytes.
  ///
  /// The connection retains `compare` until the collation is replaced or removed, or the connection closes. So
  /// if `compare` refers to the connection, neither is deallocated before ``Connection/close()``.
  ///
  /// The corresponding C function is `sqlite3_create_collation_v2`.
  public func addCollation(
    _ name: String, _ compare: @escaping (_ first: String, _ second: String) -> SQLOrder
  ) throws {
    try addCollation(
      name,
      comparingUTF8: { first, second in
        compare(String(repairing: first), String(repairing: second))
      })
  }

  /// Adds a collation that compares text by its UTF-8 bytes, which are not copied.
  ///
  /// This collation is much faster than one whose closure receives strings. The bytes are not validated, and may
  /// not be valid UTF-8. In all other respects, this method behaves like the method with strings.
  @_disfavoredOverload  // A closure that could accept either type receives strings.
  public func addCollation(
    _ name: String,
    comparingUTF8 compare: @escaping (_ first: Span<UInt8>, _ second: Span<UInt8>) -> SQLOrder
  ) throws {
    try requireLocal(.collations)
    try refuseNUL(in: name, "The name of the collation")
    let handle = try unsafe handle()
    try state.require(.addCollation)
    defer { state.releaseDeferred() }
    let box = unsafe Box(Comparison(compare: compare), state).retained()
    let code = unsafe sqlite3_create_collation_v2(
      handle, name, SQLITE_UTF8, box,
      { box, firstCount, first, secondCount, second in
        let first = unsafe UnsafeRawBufferPointer(start: first, count: Int(firstCount))
        let second = unsafe UnsafeRawBufferPointer(start: second, count: Int(secondCount))
        return unsafe Box<Comparison>.with(box) { box in
          let outer = box.state.enter(.compare)
          defer { box.state.leave(to: outer) }
          return unsafe first.withMemoryRebound(to: UInt8.self) { first in
            unsafe second.withMemoryRebound(to: UInt8.self) { second in
              unsafe box.value.compare(first.span, second.span).sign
            }
          }
        }
      }, releaseBox)
    // If SQLite rejects a collation, the box must be released here. If SQLite rejects a function, SQLite itself
    // releases the box.
    if code != SQLITE_OK {
      let error = unsafe SQLiteError(code, of: handle)
      unsafe releaseBox(box)
      throw error
    }
  }

  /// Removes the collation with this name, and releases its closure.
  ///
  /// - Throws: ``ResultCode/busy`` while a statement is running.
  public func removeCollation(_ name: String) throws {
    try refuseNUL(in: name, "The name of the collation")
    try state.require(.use)
    defer { state.releaseDeferred() }
    try check(
      unsafe sqlite3_create_collation_v2(handle(), name, SQLITE_UTF8, nil, nil, nil))
  }
}

private struct Comparison {
  let compare: (Span<UInt8>, Span<UInt8>) -> SQLOrder
}

extension String {
  /// Creates a string from bytes, with U+FFFD in place of invalid UTF-8.
  fileprivate init(repairing bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe String(small: bytes) ?? String(decoding: bytes, as: UTF8.self)
    }
  }
}

extension Connection {
  /// Sets the handler that is called to add a collation when a statement needs one that is unknown.
  ///
  /// ```swift
  /// try connection.onCollationNeeded { connection, name in
  ///   guard let locale = locale(ofCollation: name) else { return }
  ///   try connection.addCollation(name) { compare($0, $1, in: locale) }
  /// }
  /// ```
  ///
  /// If `supply` does not add the collation, preparing the statement throws
  /// ``ResultCode/errorMissingCollation``, or the error that `supply` threw. A connection has one such handler;
  /// nil removes it. `supply` can only add collations, because SQLite is in the middle of preparing a
  /// statement: any other use of the connection throws ``ResultCode/misuse``. If `supply` refers to the
  /// connection other than through its argument, neither is deallocated before ``close()``.
  ///
  /// The corresponding C function is `sqlite3_collation_needed`.
  public func onCollationNeeded(
    _ supply: ((_ connection: Connection, _ name: String) throws -> Void)?
  ) throws {
    let handle = try unsafe handle()
    try state.require(.use)
    guard let supply else {
      try check(unsafe sqlite3_collation_needed(handle, nil, nil))
      _ = slots.replace(CollationSupply.self, by: nil)
      return
    }
    // The pointer does not retain the connection, because the connection removes its callbacks before it is
    // deallocated.
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    try check(
      unsafe sqlite3_collation_needed(handle, me) { me, _, _, name in
        guard let me = unsafe me, let name = unsafe name else { return }
        let connection = unsafe Unmanaged<Connection>.fromOpaque(me).takeUnretainedValue()
        let outer = connection.state.enter(.supplyCollation)
        defer { connection.state.leave(to: outer) }
        do {
          try connection.slots[CollationSupply.self]?.body(connection, unsafe String(cString: name))
        } catch {
          connection.state.keepFailure(error)
        }
      })
    _ = slots.replace(CollationSupply.self, by: CollationSupply(body: supply))
  }
}

/// The handler that supplies unknown collations.
private struct CollationSupply {
  let body: (Connection, String) throws -> Void
}
