import CSluice

/// What C keeps for a cursor of a virtual table.
final class CursorBox: AnyBox {
  let cursor: any VirtualTableCursor
  let skipsUnchanged: Bool

  init(_ cursor: any VirtualTableCursor, _ table: TableBox) {
    self.cursor = cursor
    skipsUnchanged = table.skipsUnchanged
    super.init(table.state)
  }

  typealias Pointer = UnsafeMutablePointer<sqlite3_vtab_cursor>

  /// The structure for C, with a reference that comes back through `free(_:)`.
  func allocated() throws -> Pointer {
    guard let memory = unsafe sluice_allocate(UInt64(MemoryLayout<sluice_cursor>.size)) else {
      throw SQLiteError(.noMemory, "No memory for a cursor")
    }
    let cursor = unsafe memory.bindMemory(to: sluice_cursor.self, capacity: 1)
    unsafe cursor.pointee.object = retained()
    return unsafe UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
  }

  /// Lends the box of a cursor of C, which SQLite keeps for the time of the call.
  @inline(__always)
  static func with<T>(_ cursor: Pointer?, _ body: (CursorBox) throws -> T) rethrows -> T {
    let cursor = unsafe UnsafeMutableRawPointer(cursor!).assumingMemoryBound(
      to: sluice_cursor.self)
    return try unsafe Unmanaged<CursorBox>.fromOpaque(cursor.pointee.object)
      ._withUnsafeGuaranteedRef(body)
  }

  /// Runs `body` for a cursor, and reports what it throws.
  @inline(__always)
  static func call(
    _ cursor: Pointer?, _ body: (any VirtualTableCursor) throws -> Void
  ) -> Int32 {
    do {
      try unsafe with(cursor) { box in try box.state.call { try body(box.cursor) } }
      return SQLITE_OK
    } catch { return unsafe TableBox.report(error, to: cursor?.pointee.pVtab) }
  }

  /// Lets go of a cursor of C.
  static func free(_ cursor: Pointer?) {
    let memory = unsafe UnsafeMutableRawPointer(cursor!).assumingMemoryBound(
      to: sluice_cursor.self)
    let object = unsafe memory.pointee.object
    unsafe sqlite3_free(memory)
    unsafe releaseBox(object)
  }
}
