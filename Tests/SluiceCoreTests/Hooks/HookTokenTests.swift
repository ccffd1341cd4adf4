import SluiceCore
import TestSupport
import Testing

/// How an observer comes to a connection; nil where there is only one, which nil removes.
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

@Suite(.tags(.connections)) struct `releases of hooks` {
  let counter = ObjectCounter()

  @Test(arguments: HookKind.all)
  func `it is released by the next statement after it was cancelled, or when it is removed`(
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

  @Test(arguments: HookKind.all) func `it is released when the connection closes`(
    _ kind: HookKind
  ) throws {
    let db = try Connection()
    let token = try kind.observe(db, counter.hold())
    try db.close()
    #expect(counter.living == 0)
    token?.cancel()
  }

  @Test(arguments: HookKind.all) func `it is released when nothing refers to the connection`(
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

  @Test(arguments: HookKind.all) func `it is released when it is refused`(_ kind: HookKind) throws {
    let db = try Connection()
    try db.close()
    #expect(failure { _ = try kind.observe(db, counter.hold()) }?.code == .misuse)
    #expect(counter.living == 0)
    #expect(counter.released == 1)
  }

  @Test(arguments: HookKind.all) func `one that takes the place of another releases it`(
    _ kind: HookKind
  ) throws {
    let db = try Connection()
    _ = try kind.observe(db, counter.hold())
    _ = try kind.observe(db, counter.hold())
    #expect(counter.living == (kind.remove == nil ? 2 : 1))
  }

  @Test(arguments: HookKind.all) func `what is released can use the connection and close it`(
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

  @Test func `one is cancelled by another thread while the connection works`() throws {
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

/// Does something when it is released.
private final class OnRelease {
  private let action: () -> Void
  init(_ action: @escaping () -> Void) { self.action = action }
  deinit { action() }
}
