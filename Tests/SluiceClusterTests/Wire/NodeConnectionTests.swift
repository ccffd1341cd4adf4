import Foundation
import SluiceCluster
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.connections)) struct `Connections to a node` {
  /// A node that records requests.
  private final class Recorder: Sendable {
    private let recorded = Locked([FakeRequest?]())

    var requests: [FakeRequest?] { recorded.withLock { $0 } }

    func node(_ answer: @escaping @Sendable (FakeRequest?) -> FakeReply? = { _ in nil }) throws
      -> FakeNode
    {
      try FakeNode { [self] request in
        recorded.withLock { $0.append(request) }
        return answer(request)
      }
    }
  }

  @Test func `each request has the bytes that a node expects`() throws {
    let recorder = Recorder()
    let node = try recorder.node { request in
      switch request {
      case .leader: .server(3, "10.0.0.3:9001")
      case .prepare: .statement(7, parameters: 2)
      case .executeSQL: .result(-5, 9)
      case .members:
        .servers([
          NodeMember(id: 1, address: "a:1", role: .voter),
          NodeMember(id: .max, address: "", role: .spare),
        ])
      case .dump: .files([("x", [1, 2, 3]), ("x-wal", [])])
      case .describe: .metadata(4, 5)
      default: nil
      }
    }
    let connection = try NodeConnection(to: node.address, patience)
    #expect(
      try connection.leader(patience) == NodeMember(id: 3, address: "10.0.0.3:9001", role: .voter))
    try connection.open("main", patience)
    let values: [DatabaseValue] = [-1, 0.5, "sieben7", .blob([1, 2, 3]), nil, "", .blob([])]
    #expect(try connection.execute("INSERT", values, patience) == (-5, 9))
    _ = try connection.query("SELECT 8", [.real(.infinity)], patience).all()
    try connection.check("SELECT ?, ?", patience)
    #expect(try connection.members(patience).map(\.id) == [1, .max])
    try connection.add(id: 4, address: "127.0.0.1:4", patience)
    try connection.assign(id: 4, role: .standby, patience)
    try connection.remove(id: 4, patience)
    try connection.transfer(to: 2, patience)
    let files = try connection.dump("main", patience)
    #expect(files.map(\.name) == ["x", "x-wal"])
    #expect(files.map(\.bytes) == [[1, 2, 3], []])
    #expect(try connection.failureDomain(patience) == 4)
    #expect(
      recorder.requests == [
        .client(0), .leader, .open("main"), .executeSQL("INSERT", values),
        .querySQL("SELECT 8", [.real(.infinity)]), .prepare("SELECT ?, ?"),
        .finalize(7), .members, .add(4, "127.0.0.1:4"), .assign(4, 1),
        .remove(4), .transfer(2), .dump("main"), .describe,
      ])
  }

  @Test func `a leader that the node does not know is nil`() throws {
    let node = try FakeNode { _ in nil }
    #expect(try NodeConnection(to: node.address, patience).leader(patience) == nil)
  }

  @Test func `a request that is refused sends nothing`() throws {
    let recorder = Recorder()
    let node = try recorder.node()
    let connection = try NodeConnection(to: node.address, patience)
    #expect(failure { try connection.run("SELECT 1") }?.code == .misuse)
    #expect(failure { try connection.open("", patience) }?.code == .misuse)
    #expect(failure { try connection.open("a\0b", patience) }?.code == .misuse)
    #expect(failure { try connection.dump("", patience) }?.code == .misuse)
    try connection.open("main", patience)
    #expect(failure { try connection.run("SELECT 1\0") }?.code == .misuse)
    #expect(failure { try connection.run("SELECT ?", [.real(.nan)]) }?.code == .mismatch)
    #expect(failure { try connection.rows("SELECT ?", [1, "a\0"]) }?.code == .mismatch)
    let many = [DatabaseValue](repeating: 1, count: 256)
    #expect(failure { try connection.run("SELECT 1", many) }?.code == .range)
    connection.messageLimit = 1 << 20
    let large = DatabaseValue.blob([UInt8](repeating: 0, count: 1 << 20))
    #expect(failure { try connection.run("SELECT ?", [large]) }?.code == .tooBig)
    #expect(connection.isOpen)
    try connection.run("SELECT 1", Array(many.dropLast()))
    #expect(
      recorder.requests == [
        .client(0), .open("main"), .executeSQL("SELECT 1", Array(many.dropLast())),
      ])
  }

  @Test func `a statement for which nobody waits is answered before the next request`() throws {
    let recorder = Recorder()
    let node = try recorder.node { request in
      switch request {
      case .querySQL(let sql, _): .rows(["a"], [[.plain(.text(sql))]])
      case .executeSQL: .result(1, 2)
      default: nil
      }
    }
    let connection = try NodeConnection(opening: node.address)
    for sql in ["SELECT 1", "SELECT 2"] {
      try connection.send("BEGIN", patience)
      #expect(try connection.rows(sql) == [[.text(sql)]])
      try connection.send("ROLLBACK", patience)
    }
    try connection.send("BEGIN", patience)
    #expect(try connection.execute("DELETE", [], patience) == (1, 2))
    let reads: [FakeRequest?] = [1, 2].flatMap { number -> [FakeRequest?] in
      [.executeSQL("BEGIN", []), .querySQL("SELECT \(number)", []), .executeSQL("ROLLBACK", [])]
    }
    #expect(
      recorder.requests == [.client(0), .open("main")] + reads + [
        .executeSQL("BEGIN", []), .executeSQL("DELETE", []),
      ])
  }

  @Test func `the failure of a statement for which nobody waits fails the next request`() throws {
    let node = try FakeNode { request in
      guard case .executeSQL = request else { return nil }
      return .failure(10250, "not leader")
    }
    let connection = try NodeConnection(opening: node.address)
    try connection.send("BEGIN", patience)
    #expect(wireFailure { try connection.rows("SELECT 1") }?.isUnreachable == true)
    #expect(!connection.isOpen)
  }

  @Test func `a failure has a code and a message, and leaves the connection usable`() throws {
    let node = try FakeNode { request in
      guard case .executeSQL(let sql, _) = request else { return nil }
      return .failure(UInt64(sql.utf8.count), sql)
    }
    let connection = try NodeConnection(opening: node.address)
    for text in ["", "1234567", "12345678", "grün", String(repeating: "long ", count: 5000)] {
      #expect(
        wireFailure { try connection.run(text) }
          == .failure(code: text.utf8.count, message: text))
    }
    #expect(connection.isOpen)
  }

  @Test func `a node that does not exist is unreachable`() throws {
    let node = try FakeNode { _ in nil }
    node.stop()
    let error = wireFailure { try NodeConnection(to: node.address, patience) }
    #expect(error?.isUnreachable == true)
    #expect(error?.description.contains(node.address.description) == true)
  }

  @Test(arguments: [
    FakeReply.drop, .empty, FakeReply([[UInt8]("HTTP/1.1 400 Bad Request\r\n".utf8)]),
    FakeReply.welcome.cut(after: 15),
  ])
  func `a node that does not welcome the client is unreachable`(reply: FakeReply) throws {
    let node = try FakeNode { _ in reply }
    #expect(wireFailure { try NodeConnection(to: node.address, patience) }?.isUnreachable == true)
  }

  @Test func `a wait ends at its deadline, and closes the connection`() throws {
    let node = try FakeNode { request in
      if case .executeSQL = request { .silence } else { nil }
    }
    let connection = try NodeConnection(opening: node.address)
    let error = wireFailure {
      try connection.execute("SELECT 1", [], Patience(.milliseconds(30)))
    }
    // On a slow machine, the deadline passes before the request is sent.
    #expect(error?.isBroken == true || error?.isUnreachable == true)
    #expect(!connection.isOpen)
    #expect(wireFailure { try connection.run("SELECT 1") }?.isUnreachable == true)
  }

  @Test func `a check ends a wait with its own error`() throws {
    let node = try FakeNode { request in
      if case .executeSQL = request { .silence } else { nil }
    }
    let connection = try NodeConnection(opening: node.address)
    var checks = 0
    let patient = Patience(.seconds(60)) {
      checks += 1
      if checks == 20 { throw ForeignError() }
    }
    #expect(
      foreignFailure { try connection.execute("SELECT 1", [], patient) } == ForeignError())
    #expect(checks == 20)
    #expect(!connection.isOpen)
  }

  @Test func `bytes that arrive slowly do not postpone the deadline`() throws {
    let node = try FakeNode { request in
      guard case .querySQL = request else { return nil }
      let batch = FakeReply.rows(["a"], [[.plain(1)]], isLast: false)
      return FakeReply([[UInt8]](repeating: batch.bytes, count: 1_000_000))
    }
    let connection = try NodeConnection(opening: node.address)
    let error = wireFailure {
      let patience = Patience(.milliseconds(100))
      let rows = try connection.query("SELECT 1", [], patience)
      while try rows.next(patience) {}
    }
    #expect(error?.isBroken == true || error?.isUnreachable == true)
    #expect(!connection.isOpen)
  }

  @Test func `a deadline in the past sends nothing`() throws {
    let recorder = Recorder()
    let node = try recorder.node()
    let connection = try NodeConnection(opening: node.address)
    #expect(
      wireFailure { try connection.execute("SELECT 1", [], Patience(.zero)) }?.isUnreachable == true
    )
    #expect(recorder.requests == [.client(0), .open("main")])
  }

  @Test func `a connection that the node has closed is unreachable`() throws {
    let node = try FakeNode { _ in nil }
    let connection = try NodeConnection(opening: node.address)
    node.stop()
    #expect(wireFailure { try connection.run("INSERT") }?.isUnreachable == true)
    #expect(!connection.isOpen)
  }

  @Test func `an answer without a request closes the connection`() throws {
    let node = try FakeNode { request in
      guard case .executeSQL = request else { return nil }
      return FakeReply([FakeReply.result(1, 1).bytes + FakeReply.result(2, 2).bytes])
    }
    let connection = try NodeConnection(opening: node.address)
    #expect(try connection.execute("INSERT", [], patience) == (1, 1))
    #expect(wireFailure { try connection.run("INSERT") }?.isUnreachable == true)
    #expect(!connection.isOpen)
  }

  @Test func `an answer of another type closes the connection`() throws {
    let node = try FakeNode { request in
      if case .executeSQL = request { .empty } else { nil }
    }
    let connection = try NodeConnection(opening: node.address)
    #expect(wireFailure { try connection.run("INSERT") }?.isBroken == true)
    #expect(!connection.isOpen)
  }

  @Test func `large requests and answers arrive completely`() throws {
    let cluster = try FakeCluster()
    let connection = try NodeConnection(opening: cluster.addresses[0])
    let blob = DatabaseValue.blob((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    #expect(
      try connection.rows("SELECT ?1, ?2, length(?1)", [blob, "x"])
        == [[blob, "x", 600_000]])
    #expect(try connection.rows("SELECT 1") == [[1]])
  }

  @Test func `a dump is a database that SQLite opens`() throws {
    let cluster = try FakeCluster()
    let connection = try NodeConnection(opening: cluster.addresses[0])
    try connection.run("CREATE TABLE t(a)")
    try connection.run("INSERT INTO t VALUES (?)", ["dumped"])
    let folder = try TestFolder()
    for (name, bytes) in try connection.dump("copy", patience) {
      try folder.write(bytes, to: name)
    }
    let copy = try Connection(path: folder.file("copy"))
    #expect(try copy.first(.column(.string), sql: "SELECT a FROM t") == "dumped")
  }

  @Test func `a dump that exceeds its limit is not received`() throws {
    let node = try FakeNode { request in
      guard case .dump = request else { return nil }
      return .files([("a", [UInt8](repeating: 1, count: 1 << 20))])
    }
    var connection = try NodeConnection(to: node.address, patience)
    connection.messageLimit = 1 << 10
    #expect(try connection.dump("a", patience).first?.bytes.count == 1 << 20)
    connection = try NodeConnection(to: node.address, patience)
    #expect(wireFailure { try connection.dump("a", limit: 1 << 19, patience) }?.isBroken == true)
  }

  @Test func `connections do not leak descriptors`() throws {
    let node = try FakeNode { _ in nil }
    var first: Int?
    for round in 0..<300 {
      let connection = try NodeConnection(opening: node.address)
      if round % 2 == 0 { connection.close() }
      if round == 10 { first = descriptors() }
    }
    guard let first, let last = descriptors() else { return }
    // Other tests open files, and the node's threads close sockets later.
    #expect(last < first + 250)
  }

  /// The number of open descriptors of this process; nil where the system does not tell.
  private func descriptors() -> Int? {
    try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
  }
}
