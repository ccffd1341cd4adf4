import SluiceCore
import TestSupport
import Testing

/// SQLite releases each callback exactly once.
@Suite(.tags(.connections, .reliability)) struct `the lifetime of callbacks registered with SQLite`
{
  enum Kind: CaseIterable, Sendable {
    case scalar
    case typed
    case aggregate
    case window
    case collation
    case collationOfUTF8
    case collationNeeded
  }

  let counter = ObjectCounter()

  /// Registers a callback that retains an object of ``counter``.
  private func add(
    _ kind: Kind, to connection: Connection, name: String = "held", arity: Int = 1
  ) throws {
    let held = counter.hold()
    switch kind {
    case .scalar: try connection.addFunction(name, arity: arity) { _ in keep(held, .null) }
    case .typed: try connection.addFunction(name) { (a: Int) in keep(held, a) }
    case .aggregate:
      try connection.addAggregateFunction(name, arity: arity) { keep(held, IntegerSum()) }
    case .window:
      try connection.addAggregateFunction(name, arity: arity) { keep(held, WindowSum()) }
    case .collation:
      try connection.addCollation(name) { (a: String, b: String) in keep(held, SQLOrder(a, b)) }
    case .collationOfUTF8:
      try connection.addCollation(name, comparingUTF8: { _, _ in keep(held, SQLOrder.same) })
    case .collationNeeded: try connection.onCollationNeeded { _, _ in keep(held, ()) }
    }
  }

  private func remove(_ kind: Kind, from connection: Connection) throws {
    switch kind {
    case .scalar, .typed, .aggregate, .window: try connection.removeFunction("held", arity: 1)
    case .collation, .collationOfUTF8: try connection.removeCollation("held")
    case .collationNeeded: try connection.onCollationNeeded(nil)
    }
  }

  private func keep<T>(_ held: AnyObject, _ value: T) -> T { withExtendedLifetime(held) { value } }

  @Test(arguments: Kind.allCases)
  func `a replaced callback is released immediately`(_ kind: Kind) throws {
    let connection = try Connection()
    try add(kind, to: connection)
    #expect(counter.living == 1)
    try add(kind, to: connection)
    #expect(counter.living == 1)
    #expect(counter.released == 1)
    try connection.close()
    #expect(counter.released == 2)
  }

  @Test(arguments: Kind.allCases)
  func `a removed callback is released immediately`(_ kind: Kind) throws {
    let connection = try Connection()
    try add(kind, to: connection)
    #expect(counter.living == 1)
    try remove(kind, from: connection)
    #expect(counter.living == 0)
    try remove(kind, from: connection)
    try connection.close()
    #expect(counter.released == 1)
  }

  @Test(arguments: Kind.allCases)
  func `closing the connection releases a callback`(_ kind: Kind) throws {
    let connection = try Connection()
    try add(kind, to: connection)
    #expect(counter.living == 1)
    try connection.close()
    #expect(counter.living == 0)
    try connection.close()
    #expect(counter.released == 1)
  }

  @Test(arguments: Kind.allCases)
  func `deallocating the connection releases a callback`(_ kind: Kind) throws {
    do {
      let connection = try Connection()
      try add(kind, to: connection)
      #expect(counter.living == 1)
      withExtendedLifetime(connection) {}
    }
    #expect(counter.living == 0)
    #expect(counter.released == 1)
  }

  @Test(arguments: Kind.allCases)
  func `a callback is released when the last statement of its released connection is released`(
    _ kind: Kind
  )
    throws
  {
    var statement: Statement?
    do {
      let connection = try Connection()
      try add(kind, to: connection)
      statement = try connection.prepare(sql: "SELECT 1")
    }
    #expect(try statement?.first(.column(.int)) == 1)
    #expect(counter.living == 1)
    statement = nil
    #expect(counter.living == 0)
    #expect(counter.released == 1)
  }

  @Test(arguments: Kind.allCases)
  func `a callback that a closed connection refuses is released immediately`(_ kind: Kind) throws {
    let connection = try Connection()
    try connection.close()
    #expect(failure { try add(kind, to: connection) }?.code == .misuse)
    #expect(counter.living == 0)
    #expect(counter.released == 1)
  }

  @Test(arguments: [Kind.scalar, .aggregate, .window])
  func `a callback with an invalid arity is released immediately`(_ kind: Kind) throws {
    let connection = try Connection()
    #expect(failure { try add(kind, to: connection, arity: 9999) }?.code == .range)
    #expect(counter.living == 0)
    #expect(counter.released == 1)
  }

  @Test(arguments: [Kind.scalar, .typed, .aggregate, .window])
  func `a callback with a name that is too long is released immediately`(_ kind: Kind) throws {
    let connection = try Connection()
    let name = String(repeating: "f", count: 256)
    #expect(failure { try add(kind, to: connection, name: name) }?.code == .misuse)
    #expect(counter.living == 0)
    #expect(counter.released == 1)
  }

  @Test(arguments: Kind.allCases.filter { $0 != .collationNeeded })
  func `a callback with a NUL in its name is released immediately`(_ kind: Kind) throws {
    let connection = try Connection()
    #expect(failure { try add(kind, to: connection, name: "f\0g") }?.code == .misuse)
    #expect(counter.living == 0)
    #expect(counter.released == 1)
  }

  @Test(arguments: Kind.allCases.filter { $0 != .collationNeeded })
  func `a callback refused during a statement is released, and the old callback remains`(
    _ kind: Kind
  )
    throws
  {
    let connection = try Connection()
    try add(kind, to: connection)
    let statement = try connection.prepare(sql: "SELECT 1 UNION ALL SELECT 2")
    #expect(try statement.step() != nil)
    #expect(failure { try add(kind, to: connection) }?.code == .busy)
    #expect(counter.living == 1)
    #expect(counter.released == 1)
    #expect(failure { try remove(kind, from: connection) }?.code == .busy)
    #expect(counter.living == 1)
    try connection.close()
    #expect(counter.released == 2)
  }
}
