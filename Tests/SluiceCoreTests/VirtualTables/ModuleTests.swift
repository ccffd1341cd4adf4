import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.virtualTables), .inEachThreadingMode) struct `virtual table modules` {
  @Test func `a virtual table receives its module, schema, name and arguments on creation`() throws
  {
    let connection = try Connection.inTestedMode()
    try connection.attach(path: ":memory:", as: "other")
    var seen: [VirtualTableArguments] = []
    try connection.addModule("list") { arguments in
      seen.append(arguments)
      return ListTable(["a"], [[1]])
    }
    try connection.execute(
      sql: """
        CREATE VIRTUAL TABLE other."t x" USING list(one, two = 'it''s', "A"=[b], x=`a``b`, ='')
        """)
    let arguments = try #require(seen.first)
    #expect(arguments.module == "list")
    #expect(arguments.schema == "other")
    #expect(arguments.table == "t x")
    #expect(arguments.isCreating)
    #expect(arguments.connection === connection)
    #expect(
      arguments.values == ["one", "two = 'it''s'", "\"A\"=[b]", "x=`a``b`", "=''"])
    #expect(arguments.value("TWO") == "it's")
    #expect(arguments.value("x") == "a`b")
    #expect(arguments.value("one") == nil)
    #expect(arguments.names == ["two", "x"])
    #expect(VirtualTableArguments.unquoted(" [a b] ") == "a b")
    #expect(VirtualTableArguments.unquoted("'") == "'")
    // Break the cycle: the arguments retain the connection, which retains the closure that captures `seen`.
    seen = []
  }

  @Test func `a queue's connection can add modules and table-valued functions`() throws {
    let folder = try TestFolder()
    let queue = try ConnectionQueue(path: folder.file(), label: "tables")
    let values = try queue.sync { connection in
      try connection.addModule("list", as: .eponymousOnly) { _ in ListTable(["a"], [[1]]) }
      try connection.addTableFunction("range", columns: ["b"], parameters: ["last"]) {
        (last: Int) in 1...max(1, last)
      }
      return try connection.query(.column(.int), sql: "SELECT b FROM list, range(3)")
    }
    #expect(values == [1, 2, 3])
  }

  @Test func `a virtual table in a file is created once and later connected`() throws {
    let folder = try TestFolder()
    var isCreating: [Bool] = []
    for _ in 0..<2 {
      let connection = try Connection(path: folder.file())
      try connection.addModule("list") { arguments in
        isCreating.append(arguments.isCreating)
        return ListTable(["a"], [[1]])
      }
      try connection.execute(sql: "CREATE VIRTUAL TABLE IF NOT EXISTS t USING list")
      #expect(try connection.integers("SELECT a FROM t") == [1])
      try connection.close()
    }
    #expect(isCreating == [true, false])
  }

  @Test(arguments: VirtualTableUse.allCases)
  func `a module's options allow use by name, by CREATE VIRTUAL TABLE, or both`(
    _ use: VirtualTableUse
  )
    throws
  {
    let connection = try Connection.inTestedMode()
    try connection.addModule("list", as: use) { _ in ListTable(["a"], [[1]]) }
    let byName = failure { try connection.integers("SELECT a FROM list") }
    #expect((byName == nil) == (use != .created))
    let created = failure { try connection.execute(sql: "CREATE VIRTUAL TABLE t USING list") }
    #expect((created == nil) == (use != .eponymousOnly))
  }

  @Test func `writing to a read-only virtual table throws`() throws {
    let connection = try Connection.inTestedMode()
    try connection.addModule("list", as: .eponymousOnly) { _ in ListTable(["a"], [[1]]) }
    for sql in ["INSERT INTO list VALUES (1)", "UPDATE list SET a = 2", "DELETE FROM list"] {
      #expect(
        failure { try connection.execute(sql: sql) }?.message == "table list may not be modified")
    }
  }

  @Test func `a view can read a virtual table only if the options of its module allow this`() throws
  {
    let cases: [(VirtualTableOptions, trusted: Bool, isRead: Bool)] = [
      ([], false, false), ([], true, false), (.innocuous, false, true), (.innocuous, true, true),
      (.usableInSchema, false, false), (.usableInSchema, true, true),
    ]
    for (options, trusted, isRead) in cases {
      let connection = try Connection.inTestedMode()
      try connection.setOption(.trustedSchema, trusted)
      try connection.addModule("list", as: .eponymousOnly) { _ in
        ListTable(["a"], [[1]], options: options)
      }
      try connection.execute(sql: "CREATE VIEW v AS SELECT a FROM list")
      #expect((failure { try connection.integers("SELECT a FROM v") } == nil) == isRead)
      #expect(try connection.integers("SELECT a FROM list") == [1])
    }
  }

  @Test func `the option usesAllSchemas throws if SQLite does not support it`() throws {
    let connection = try Connection.inTestedMode()
    try connection.addModule("list", as: .eponymousOnly) { _ in
      ListTable(["a"], [[1]], options: .usesAllSchemas)
    }
    let error = failure { try connection.integers("SELECT a FROM list") }
    #expect(error?.code == (SQLiteVersion.hasAllSchemas ? nil : .notFound))
  }

  @Test func `removeModules keeps the listed modules and the array function`() throws {
    let connection = try Connection.inTestedMode()
    for name in ["a", "b"] {
      try connection.addModule(name, as: .eponymousOnly) { _ in ListTable(["a"], [[1]]) }
    }
    try connection.removeModules(keeping: ["a"])
    #expect(try connection.integers("SELECT a FROM a") == [1])
    #expect(failure { try connection.integers("SELECT a FROM b") } != nil)
    #expect(
      try connection.first(
        .column(.int), sql: "SELECT count(*) FROM array(?)", parameters: .array([1, 2])) == 2)
    try connection.removeModules()
    #expect(failure { try connection.integers("SELECT a FROM a") } != nil)
    #expect(failure { try connection.removeModules(keeping: ["a\0"]) }?.code == .misuse)
  }

  @Test func `a defensive connection cannot write to shadow tables`() throws {
    let connection = try Connection.inTestedMode()
    try connection.addModule("kept", shadowNames: ["data"]) { _ in ListTable(["a"], [[1]]) }
    try connection.addModule("open", shadowNames: []) { _ in ListTable(["a"], [[1]]) }
    try connection.execute(
      sql: """
        CREATE VIRTUAL TABLE k USING kept; CREATE TABLE k_data(a); CREATE TABLE k_other(a);
        CREATE VIRTUAL TABLE o USING open; CREATE TABLE o_data(a)
        """)
    try connection.setOption(.defensive, true)
    for table in ["k_other", "o_data"] {
      try connection.execute(sql: "INSERT INTO \(table) VALUES (1)")
    }
    #expect(failure { try connection.execute(sql: "INSERT INTO k_data VALUES (1)") } != nil)
  }

  @Test func `renaming a virtual table calls its rename method`() throws {
    let connection = try Connection.inTestedMode()
    let probe = Probe()
    try ProbeTable.add(to: connection, probe)
    try connection.execute(sql: "CREATE VIRTUAL TABLE p USING probe; ALTER TABLE p RENAME TO q")
    #expect(probe.calls.contains(.rename))
    #expect(try connection.integers("SELECT count(*) FROM q") == [3])
  }

  @Test func `a module name or shadow name with a NUL throws`() throws {
    let connection = try Connection.inTestedMode()
    #expect(
      failure { try connection.addModule("a\0b") { _ in ListTable(["a"], []) } }?.code == .misuse)
    #expect(failure { try connection.removeModule("a\0b") }?.code == .misuse)
    #expect(
      failure {
        try connection.addModule("a", shadowNames: ["b\0"]) { _ in ListTable(["a"], []) }
      }?.code == .misuse)
  }

  @Test func `integrity checks report a virtual table's damage if SQLite supports this`() throws {
    final class Damaged: VirtualTable {
      let schema: VirtualTableSchema = ["a"]
      func cursor() -> ListCursor { ListCursor([]) }
      func damage(isQuick: Bool) -> String? { isQuick ? "scratched" : "broken" }
    }
    let connection = try Connection.inTestedMode()
    try connection.addModule("damaged") { _ in Damaged() }
    try connection.execute(sql: "CREATE VIRTUAL TABLE d USING damaged")
    let isAsked = SQLiteVersion.asksVirtualTablesForDamage
    #expect(try connection.value("PRAGMA integrity_check") == (isAsked ? "broken" : "ok"))
    #expect(try connection.value("PRAGMA quick_check") == (isAsked ? "scratched" : "ok"))
  }

  @Test func `a virtual table can overload an SQL function for its columns`() throws {
    final class Stemmed: VirtualTable {
      let schema: VirtualTableSchema = ["a"]
      func cursor() -> ListCursor { ListCursor([["walked"], ["ran"]]) }
      func function(_ name: String, arity: Int) -> VirtualTableFunction? {
        guard name == "same", arity == 2 else { return nil }
        return VirtualTableFunction { values in
          let (first, second) = try (values.get(String.self, at: 0), values.get(String.self, at: 1))
          guard second != "bad" else { throw ForeignError("Bad") }
          return .integer(first.hasPrefix(second) ? 1 : 0)
        }
      }
    }
    let connection = try Connection.inTestedMode()
    try connection.addModule("stemmed", as: .eponymousOnly) { _ in Stemmed() }
    try connection.addOverloadableFunction("same", arity: 2)
    #expect(try connection.column("SELECT a FROM stemmed WHERE same(a, 'walk')") == ["walked"])
    #expect(throws: ForeignError("Bad")) {
      try connection.column("SELECT a FROM stemmed WHERE same(a, 'bad')")
    }
    #expect(failure { try connection.column("SELECT same(1, 2)") } != nil)
    #expect(failure { try VirtualTableFunction(constraint: 149) { _ in 1 } }?.code == .range)
  }
}
