import SluiceCore

extension CallbackKind {
  static let all = hooks + handlers + functions + tables + fullText + changes

  private static let hooks: [CallbackKind] =
    [
      CallbackKind(name: "commit") { db, act in
        token(try db.onCommit(act))
      },
      CallbackKind(
        name: "rollback", canThrow: false, sql: "BEGIN; INSERT INTO t VALUES (9); ROLLBACK"
      ) { db, act in token(try db.onRollback { try? act() }) },
      CallbackKind(name: "update") { db, act in
        token(try db.onUpdate { _ in try act() })
      },
      CallbackKind(
        name: "WAL", isMidway: false, canThrow: false, replacing: nil, usesWAL: true
      ) { db, act in token(try db.onWALCommit { _, _ in try? act() }) },
      CallbackKind(name: "progress") { db, act in
        token(try db.onProgress(every: 1, act))
      },
      CallbackKind(name: "trace", canThrow: false) { db, act in
        token(try db.trace([.statement, .row, .profile]) { _ in try? act() })
      },
      CallbackKind(name: "authorizer") { db, act in
        token(
          try db.authorize { _ in
            try act()
            return .allow
          })
      },
    ]
    + (SQLiteLibrary.has(.preUpdateHook)
      ? [
        CallbackKind(name: "pre-update") { db, act in
          token(try db.onPreUpdate { _ in try act() })
        }
      ] : [])

  private static let handlers: [CallbackKind] = [
    CallbackKind(name: "busy", ending: .misuse, isBusy: true) { db, act in
      try db.setBusyHandler { count in
        try act()
        return count < 3
      }
      return { try db.setBusyHandler(nil) }
    },
    CallbackKind(
      name: "autovacuum", canThrow: false, ending: .misuse,
      sql: "INSERT INTO t VALUES (zeroblob(100000)); DELETE FROM t WHERE a = zeroblob(100000)"
    ) { db, act in
      try db.setAutovacuumHandler { file in
        try? act()
        return file.freePageCount
      }
      return { try db.setAutovacuumHandler(nil) }
    },
    CallbackKind(
      name: "collation needed", ending: .misuse, sql: "SELECT a FROM t ORDER BY a COLLATE needed"
    ) { db, act in
      try db.onCollationNeeded { connection, name in
        try act()
        try connection.addCollation(name) { SQLOrder($0, $1) }
      }
      return { try db.onCollationNeeded(nil) }
    },
  ]

  private static let functions: [CallbackKind] = [
    CallbackKind(
      name: "collation", canThrow: false, ending: .misuse,
      sql: "SELECT a FROM t ORDER BY a || '' COLLATE c"
    ) { db, act in
      try db.addCollation("c") { (first: String, second: String) in
        try? act()
        return SQLOrder(first, second)
      }
      return { try db.removeCollation("c") }
    },
    CallbackKind(
      name: "function", isMidway: false, replacing: .busy, ending: .busy, sql: "SELECT f(a) FROM t"
    ) { db, act in
      try db.addFunction("f", arity: 1) { values in
        try act()
        return try values[0]
      }
      return { try db.removeFunction("f", arity: 1) }
    },
    aggregate("step", "SELECT g(a) FROM t"), aggregate("final", "SELECT g(a) FROM t"),
    aggregate("value", "SELECT g(a) OVER (ORDER BY a ROWS 1 PRECEDING) FROM t"),
    aggregate("inverse", "SELECT g(a) OVER (ORDER BY a ROWS 1 PRECEDING) FROM t"),
  ]

  private static func aggregate(_ method: String, _ sql: String) -> CallbackKind {
    CallbackKind(
      name: "aggregate's \(method)", isMidway: false, replacing: .busy, ending: .busy, sql: sql
    ) { db, act in
      try db.addAggregateFunction("g", arity: 1) { Acting(method, act) }
      return { try db.removeFunction("g", arity: 1) }
    }
  }
}

/// An aggregate that calls `act` in one of its methods.
private final class Acting: SQLAggregateWindowFunction {
  private let method: String
  private let act: () throws -> Void

  init(_ method: String, _ act: @escaping () throws -> Void) {
    self.method = method
    self.act = act
  }

  private func act(in method: String) throws { if method == self.method { try act() } }

  func step(_ values: borrowing SQLFunctionArguments) throws { try act(in: "step") }
  func inverse(_ values: borrowing SQLFunctionArguments) throws { try act(in: "inverse") }
  func value() throws -> DatabaseValue {
    try act(in: "value")
    return 0
  }
  func final() throws -> DatabaseValue {
    try act(in: "final")
    return 0
  }
}
