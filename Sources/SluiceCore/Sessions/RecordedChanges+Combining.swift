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
    let (count, nextCount) = try (
      SessionModule.count(of: bytes), SessionModule.count(of: next.bytes)
    )
    return try unsafe bytes.withUnsafeBytes { first in
      try unsafe next.bytes.withUnsafeBytes { second in
        let first = unsafe UnsafeMutableRawPointer(mutating: first.baseAddress)
        let second = unsafe UnsafeMutableRawPointer(mutating: second.baseAddress)
        return RecordedChanges(
          written: try unsafe SessionModule.bytes { size, result in
            try SessionModule.check(
              unsafe sluice_changeset_concat(count, first, nextCount, second, size, result))
          })
      }
    }
  }
}

extension RecordedChanges where Format == ChangesetFormat {
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
