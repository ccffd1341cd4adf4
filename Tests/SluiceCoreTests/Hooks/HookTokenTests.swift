import SluiceCore
import TestSupport
import Testing

/// A kind of observer, with the closures that add and remove it.
///
/// For some kinds, a connection has a single handler: `observe` returns nil, and `remove` sets the handler to nil.
struct HookKind: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let observe: @Sendable (Connection, AnyObject) throws -> HookToken?
  let remove: (@Sendable (Connection) throws -> Void)?

  init(
    _ name: String, remove: (@Sendable (Connection) throws -> Void)? = nil,
    _ observe: @escaping @Sendable (Connection, AnyObject) throws -> HookToken?
  ) {
    testDescription = name
    self.observe = observe
    self.remove = remove
  }

  private static let noBusyHandler: @Sendable (Connection) throws -> Void = {
    try $0.setBusyHandler(nil)
  }

  private static let noAutovacuumHandler: @Sendable (Connection) throws -> Void = {
    try $0.setAutovacuumHandler(nil)
  }

  static let all: [HookKind] =
    [
      HookKind("commit") { db, held in try db.onCommit { withExtendedLifetime(held) {} } },
      HookKind("rollback") { db, held in try db.onRollback { withExtendedLifetime(held) {} } },
      HookKind("update") { db, held in try db.onUpdate { _ in withExtendedLifetime(held) {} } },
      HookKind("WAL") { db, held in try db.onWALCommit { _, _ in withExtendedLifetime(held) {} } },
      HookKind("progress") { db, held in
        try db.onProgress(every: 1) { withExtendedLifetime(held) {} }
      },
      HookKind("trace") { db, held in
        try db.trace(.statement) { _ in withExtendedLifetime(held) {} }
      },
      HookKind("authorizer") { db, held in
        try db.authorize { _ in withExtendedLifetime(held) { .allow } }
      },
      HookKind("busy", remove: noBusyHandler) { db, held in
        try db.setBusyHandler { _ in withExtendedLifetime(held) { false } }
        return nil
      },
      HookKind("autovacuum", remove: noAutovacuumHandler) { db, held in
        try db.setAutovacuumHandler { _ in withExtendedLifetime(held) { 0 } }
        return nil
      },
    ]
    + (SQLiteLibrary.has(.preUpdateHook)
      ? [
        HookKind("pre-update") { db, held in
          try db.onPreUpdate { _ in withExtendedLifetime(held) {} }
        }
      ] : [])
}

@Suite(.tags(.connections)) struct `releasing hooks` {
  let counter = ObjectCounter()

  @Test(arguments: HookKind.all)
  func `a cancelled or removed hook is released by the next statement`(
    _ kind: HookKind
  ) throws {
    let db = try Connection()
    let token = try kind.observe(db, counter.hold())
    #expect(counter.living == 1)
    token?.cancel()
    token?.cancel()
    #expect(token?.isCancelled != false)
    try kind.remove?(db)
    try db.execute(sql: "SELECT 1")
    #expect(counter.living == 0)
    token?.cancel()
    try db.execute(sql: "SELECT 1")
  }

  @Test(arguments: HookKind.all) func `a hook is released when its connection closes`(
    _ kind: HookKind
  ) throws {
    let db = try Connection()
    let token = try kind.observe(db, counter.hold())
    try db.close()
    #expect(counter.living == 0)
    token?.cancel()
  }

  @Test(arguments: HookKind.all) func `a hook is released when its connection is deallocated`(
    _ kind: HookKind
  ) throws {
    do {
      let db = try Connection()
      _ = try kind.observe(db, counter.hold())
      try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
      #expect(counter.living == 1)
    }
    #expect(counter.living == 0)
  }

  @Test(arguments: HookKind.all) func `a hook is released when its registration fails`(
    _ kind: HookKind
  ) throws {
    let db = try Connection()
    try db.close()
    #expect(failure { _ = try kind.observe(db, counter.hold()) }?.code == .misuse)
    #expect(counter.living == 0)
    #expect(counter.released == 1)
  }

  @Test(arguments: HookKind.all)
  func `setting a handler releases the previous handler, but adding an observer does not`(
    _ kind: HookKind
  ) throws {
    let db = try Connection()
    _ = try kind.observe(db, counter.hold())
    _ = try kind.observe(db, counter.hold())
    #expect(counter.living == (kind.remove == nil ? 2 : 1))
  }

  @Test(arguments: HookKind.all)
  func `an object released with a hook can use and close the connection`(
    _ kind: HookKind
  ) throws {
    let db = try Connection()
    try observeClosing(db, kind)?.cancel()
    try kind.remove?(db)
    let error = failure { try db.execute(sql: "SELECT 1") }
    #expect(error?.code == .misuse)
    #expect(!db.isOpen)
  }

  /// Adds an observer whose release closes the connection.
  private func observeClosing(_ db: Connection, _ kind: HookKind) throws -> HookToken? {
    try kind.observe(
      db,
      OnRelease { [weak db] in
        _ = try? db?.value("SELECT 1")
        try? db?.close()
      })
  }

  @Test func `a hook can be cancelled by another thread while its connection is in use`() throws {
    let queue = try ConnectionQueue()
    let count = SharedLog<Int>()
    let tokens = try queue.sync { db in
      try db.execute(sql: "CREATE TABLE t(a)")
      return try (0..<100).map { number in try db.onCommit { count.append(number) } }
    }
    let isCommitted = concurrently(2) { number in
      if number == 0 {
        for token in tokens { token.cancel() }
      } else {
        for _ in 0..<100 {
          let error = failure {
            try queue.sync { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
          }
          #expect(error == nil)
        }
      }
    }
    #expect(isCommitted)
    let before = count.entries.count
    try queue.sync { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
    #expect(count.entries.count == before)
  }
}

/// Calls a closure when it is deinitialized.
private final class OnRelease {
  private let action: () -> Void
  init(_ action: @escaping () -> Void) { self.action = action }
  deinit { action() }
}
