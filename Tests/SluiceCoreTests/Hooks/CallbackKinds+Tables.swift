import SluiceCore

extension CallbackKind {
  /// The callbacks of virtual tables and R*Tree queries.
  static let tables =
    Callback.allCases.map(virtualTable) + tableFunctions
    + (SQLiteLibrary.has(.rtree) ? [rtree(isMaking: true), rtree(isMaking: false)] : [])

  private static func virtualTable(_ callback: Callback) -> CallbackKind {
    let isMidway = [.plan, .function].contains(callback)
    let isMade = [.make, .schema].contains(callback)
    let refusal: ResultCode? = isMidway ? .misuse : isMade ? .busy : nil
    var kind = CallbackKind(
      name: "virtual table's \(callback)", isMidway: isMidway,
      canThrow: Callback.throwing.contains(callback), replacing: refusal, ending: refusal,
      setUp: "CREATE VIRTUAL TABLE IF NOT EXISTS p USING probe", sql: callback.sql,
      cleanUp: "DROP TABLE IF EXISTS p; DROP TABLE IF EXISTS q; DROP TABLE IF EXISTS r"
    ) { db, act in
      let probe = Probe()
      probe.atEach(callback, act)
      try ProbeTable.add(to: db, probe)
      return { try db.removeModule("probe") }
    }
    if [.sync, .commit, .rollback, .savepoint, .release, .rollbackTo].contains(callback) {
      kind.sql = "BEGIN; " + kind.sql
    }
    // A transaction cannot begin while a statement writes or commits.
    let writing: [Callback] = [
      .make, .schema, .insert, .update, .delete, .begin, .rename, .destroy, .sync, .commit,
    ]
    if writing.contains(callback) {
      kind.exceptions[.beginning] = .misuse
    }
    return kind
  }

  private static let tableFunctions = [
    CallbackKind(
      name: "table function", isMidway: false, replacing: nil, sql: "SELECT * FROM numbers"
    ) { db, act in
      try db.addTableFunction("numbers", columns: ["value"]) {
        try act()
        return [1, 2]
      }
      return { try db.removeModule("numbers") }
    },
    CallbackKind(
      name: "table function's sequence", isMidway: false, canThrow: false, replacing: nil,
      sql: "SELECT * FROM numbers"
    ) { db, act in
      try db.addTableFunction("numbers", columns: ["value"]) {
        sequence(first: 1) { number in
          // A sequence cannot throw.
          try? act()
          return number < 3 ? number + 1 : nil
        }
      }
      return { try db.removeModule("numbers") }
    },
    CallbackKind(
      name: "function of a table", isMidway: false, replacing: nil,
      setUp: "CREATE VIRTUAL TABLE p USING own", sql: "SELECT like(a, 'x') FROM p",
      cleanUp: "DROP TABLE IF EXISTS p"
    ) { db, act in
      try db.addModule("own") { _ in OwnFunction(act) }
      return { try db.removeModule("own") }
    },
  ]

  private static func rtree(isMaking: Bool) -> CallbackKind {
    CallbackKind(
      name: isMaking ? "R*Tree query" : "R*Tree match", isMidway: false, replacing: .busy,
      ending: .busy,
      setUp:
        "CREATE VIRTUAL TABLE place USING rtree(id, x0, x1); INSERT INTO place VALUES (1, 0, 1)",
      sql: "SELECT id FROM place WHERE id MATCH near()", cleanUp: "DROP TABLE place"
    ) { db, act in
      try db.addRTreeQuery("near") { _ in
        if isMaking { try act() }
        return { _ in
          if !isMaking { try act() }
          return .inside
        }
      }
      return { try db.removeRTreeQuery("near") }
    }
  }
}

/// A virtual table that overloads an SQL function.
private final class OwnFunction: VirtualTable {
  let schema: VirtualTableSchema = ["a"]
  private let act: () throws -> Void

  init(_ act: @escaping () throws -> Void) { self.act = act }

  func cursor() -> ListCursor { ListCursor([["b"], ["a"]]) }

  func function(_ name: String, arity: Int) -> VirtualTableFunction? {
    guard name == "like" else { return nil }
    return VirtualTableFunction { [act] _ in
      try act()
      return 1
    }
  }
}
