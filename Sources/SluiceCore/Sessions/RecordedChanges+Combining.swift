import CSluice

extension RecordedChanges {
  /// These changes and then `next`, as one.
  ///
  /// There is one change for each row in the end: what was inserted and then deleted is gone. Tables that
  /// have other columns in `next` throw ``ResultCode/schema``.
  ///
  /// The corresponding C function is `sqlite3changeset_concat`.
  public func appending(_ next: RecordedChanges) throws -> RecordedChanges {
    try SessionModule.enter()
    return try unsafe withCombinableBytes { count, first in
      try unsafe next.withCombinableBytes { nextCount, second in
        RecordedChanges(
          written: try unsafe SessionModule.bytes { size, result in
            try SessionModule.check(
              unsafe sluice_changeset_concat(count, first, nextCount, second, size, result))
          })
      }
    }
  }

  /// Lends the bytes to what combines them, with one more behind those of a patchset: SQLite looks at it, to
  /// no effect, if the last change is that a row was deleted.
  func withCombinableBytes<T>(
    _ body: (_ count: Int32, _ bytes: UnsafeMutableRawPointer?) throws -> T
  ) throws -> T {
    let count = try SessionModule.count(of: bytes)
    return try unsafe (Format.isPatchset ? bytes + [0] : bytes).withUnsafeBytes { bytes in
      try unsafe body(count, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
  }
}

extension RecordedChanges where Format == Session.ChangesetFormat {
  /// The changes that undo these.
  ///
  /// The corresponding C function is `sqlite3changeset_invert`.
  public func inverted() throws -> RecordedChanges {
    try SessionModule.enter()
    let count = try SessionModule.count(of: bytes)
    return try unsafe bytes.withUnsafeBytes { bytes in
      let bytes = bytes.baseAddress
      return RecordedChanges(
        written: try unsafe SessionModule.bytes { size, result in
          try SessionModule.check(unsafe sluice_changeset_invert(count, bytes, size, result))
        })
    }
  }
}
