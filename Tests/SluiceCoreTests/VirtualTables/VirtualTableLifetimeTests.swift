import SluiceCore
import TestSupport
import Testing

/// Each object of a virtual table is released exactly once.
@Suite(.tags(.connections, .reliability)) struct `lifetimes of virtual tables` {
  let counter = ObjectCounter()
  let probe = Probe()

  private func connection(as use: VirtualTableUse = .created) throws -> Connection {
    let connection = try Connection()
    let counter = counter
    try ProbeTable.add(to: connection, probe, as: use) { counter.hold() }
    return connection
  }

  @Test func `dropping a virtual table destroys and releases it`() throws {
    let connection = try connection()
    try connection.execute(sql: "CREATE VIRTUAL TABLE p USING probe")
    #expect(counter.living == 1)
    try connection.execute(sql: "DROP TABLE p")
    #expect(counter.living == 0)
    #expect(probe.calls.contains(.destroy))
  }

  @Test(arguments: VirtualTableUse.allCases)
  func `closing the connection releases a virtual table without destroying it`(
    _ use: VirtualTableUse
  ) throws {
    let connection = try connection(as: use)
    let name = use == .created ? "p" : "probe"
    if use == .created { try connection.execute(sql: "CREATE VIRTUAL TABLE p USING probe") }
    let statement = try connection.prepare(sql: "SELECT a FROM \(name)")
    let hasRow = try statement.step() != nil
    #expect(hasRow)
    #expect(counter.living == 1)
    try connection.close()
    #expect(counter.living == 0)
    #expect(!probe.calls.contains(.destroy))
  }

  @Test func `releasing an open connection releases its virtual tables`() throws {
    do {
      let connection = try connection()
      try connection.execute(sql: "CREATE VIRTUAL TABLE p USING probe")
      #expect(counter.living == 1)
    }
    #expect(counter.living == 0)
  }

  @Test(arguments: [Callback.make, .schema])
  func `a virtual table is released if its creation fails`(_ callback: Callback) throws {
    let connection = try connection()
    probe.at(callback) { throw ForeignError() }
    #expect(throws: ForeignError()) {
      try connection.execute(sql: "CREATE VIRTUAL TABLE p USING probe")
    }
    #expect(counter.living == 0)
  }

  @Test func `a module releases its closure when replaced, removed, rejected or closed`()
    throws
  {
    for kind in 0..<4 {
      let connection = try Connection()
      do {
        let held = counter.hold()
        let name = kind == 2 ? "a\0" : "probe"
        _ = failure {
          try connection.addModule(name) { _ in
            withExtendedLifetime(held) { ListTable(["a"], []) }
          }
        }
      }
      if kind != 2 { #expect(counter.living == 1) }
      switch kind {
      case 0: try connection.addModule("PROBE") { _ in ListTable(["a"], []) }
      case 1: try connection.removeModule("probe")
      case 2: break
      default: try connection.close()
      }
      #expect(counter.living == 0, "\(kind)")
    }
  }

  @Test func `a partly read statement continues after its module is removed`() throws {
    let connection = try connection(as: .eponymousOnly)
    let statement = try connection.prepare(sql: "SELECT a FROM probe")
    let hasRow = try statement.step() != nil
    #expect(hasRow)
    try connection.removeModule("probe")
    // The statement still uses the table with which it was prepared.
    #expect(counter.living == 1)
    var rest = 0
    while let row = try statement.step() {
      _ = try row.value(at: 0)
      rest += 1
    }
    #expect(rest == 2)
    #expect(failure { try connection.column("SELECT a FROM probe") }?.code == .error)
    try connection.close()
    #expect(counter.living == 0)
  }

  @Test func `a cached statement uses the new module after a replacement`() throws {
    let connection = try Connection()
    for value: DatabaseValue in [1, 2] {
      try connection.addModule("one", as: .eponymousOnly) { _ in ListTable(["a"], [[value]]) }
      #expect(try connection.column("SELECT a FROM one") == [value])
    }
  }

  @Test func `dropping a virtual table while it has an open cursor throws`() throws {
    let connection = try connection()
    try connection.execute(sql: "CREATE VIRTUAL TABLE p USING probe")
    let statement = try connection.prepare(sql: "SELECT a FROM p")
    let hasRow = try statement.step() != nil
    #expect(hasRow)
    #expect(failure { try connection.execute(sql: "DROP TABLE p") }?.code == .locked)
    try statement.reset()
    try connection.execute(sql: "DROP TABLE p")
    #expect(counter.living == 0)
  }

  @Test func `two cursors of one virtual table are independent`() throws {
    let connection = try connection()
    try connection.execute(sql: "CREATE VIRTUAL TABLE p USING probe")
    let pairs = try connection.column(
      "SELECT x.a || y.a FROM p AS x, p AS y WHERE x.a < y.a ORDER BY 1")
    #expect(pairs == ["ab", "ac", "bc"])
    #expect(counter.living == 1)
  }

  @Test func `a deinit that runs while a virtual table is released can close the connection`()
    throws
  {
    final class Closer {
      let connection: Connection
      init(_ connection: Connection) { self.connection = connection }
      // The test checks whether the connection was closed.
      deinit { try? connection.close() }
    }
    let connection = try Connection()
    try connection.addModule("closing") { [unowned connection] _ in
      let closer = Closer(connection)
      return ListTable(withExtendedLifetime(closer) { ["a"] }, [])
    }
    _ = failure { try connection.execute(sql: "CREATE VIRTUAL TABLE p USING closing") }
    // The closer was released in the middle of a call, where closing throws.
    #expect(connection.isOpen)
    try ProbeTable.add(to: connection, probe) { [unowned connection] in Closer(connection) }
    try connection.execute(sql: "CREATE VIRTUAL TABLE q USING probe; DROP TABLE q")
    #expect(!connection.isOpen)
  }
}
