import CSluice

/// A database file that is about to give free pages back, with auto-vacuum.
public struct Autovacuum: Hashable, Sendable {
  /// The name that the database has on the connection, such as `main`.
  public let schema: String
  /// How many pages the file has.
  public let pageCount: Int
  /// How many of them are free.
  public let freePageCount: Int
  /// How many bytes a page has.
  public let pageSize: Int
}

extension Connection {
  /// Asks `handler` how many free pages a commit is to give back, in a database with full auto-vacuum.
  ///
  /// ```swift
  /// try connection.setAutovacuumHandler { file in file.freePageCount / 2 }
  /// ```
  ///
  /// With 0 or less the file stays as it is, and with all there are or more it gives back all, as
  /// without a handler. There is one for a connection; nil removes it. It cannot use the connection,
  /// which throws ``ResultCode/misuse``: SQLite is in the middle of the commit.
  ///
  /// The connection keeps it until another takes its place, or the connection closes.
  ///
  /// The corresponding C function is `sqlite3_autovacuum_pages`.
  public func setAutovacuumHandler(_ handler: ((_ file: Autovacuum) -> Int)?) throws {
    let handle = try unsafe handle()
    let hooks = try hooksToChange()
    if let old = hooks.autovacuum { state.release(old) }
    hooks.autovacuum = handler.map { handler in hooks.observer { handler(copy $0) } }
    unsafe hooks.installAutovacuumHandler(handle)
    state.drainOutside()
  }
}

extension Hooks {
  fileprivate func installAutovacuumHandler(_ handle: OpaquePointer) {
    guard autovacuum != nil else {
      unsafe sqlite3_autovacuum_pages(handle, nil, nil, nil)
      return
    }
    unsafe sqlite3_autovacuum_pages(
      handle,
      { me, schema, pages, freePages, pageSize in
        let file = Autovacuum(
          schema: unsafe schema.map { unsafe String(cString: $0) } ?? "", pageCount: Int(pages),
          freePageCount: Int(freePages), pageSize: Int(pageSize))
        return unsafe UInt32(clamping: Hooks.at(me).pagesToFree(in: file))
      }, pointer, nil)
  }

  private func pagesToFree(in file: Autovacuum) -> Int {
    // It cannot throw.
    state.within(.hook) { (try? autovacuum?.tell(file)) ?? file.freePageCount }
  }
}
