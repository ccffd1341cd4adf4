import SluiceCluster
import SluiceCore
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.values)) struct `Rows of a node` {
  /// A connection to a node that answers all queries with `reply`.
  private func connection(
    _ reply: FakeReply
  ) throws -> (node: FakeNode, connection: NodeConnection) {
    let node = try FakeNode { request in
      if case .querySQL("SELECT 1", _) = request { return reply }
      if case .querySQL = request { return .rows(["other"], [[.plain("usable")]]) }
      return nil
    }
    return (node, try NodeConnection(opening: node.address))
  }

  private func isUsable(_ connection: NodeConnection) -> Bool {
    (try? connection.rows("SELECT 2")) == [["usable"]]
  }

  @Test func `each type of value is decoded`() throws {
    let values: [FakeValue] = [
      .plain(.integer(.min)), .plain(.real(-0.0)), .plain("Grüße"), .plain(.blob([0, 255])),
      .plain(nil), .unixTime(-3), .isoTime("2026-11-26"), .boolean(1), .boolean(0), .plain(""),
      .plain(.blob([])), .plain("12345678"), .plain(.integer(-1)), .plain("1234567"),
      .plain(.blob([1, 2, 3, 4, 5, 6, 7, 8])), .isoTime(""), .plain(17),
    ]
    let (node, connection) = try connection(
      .rows(values.indices.map { "c\($0)" }, [values, values]))
    let expected: [DatabaseValue] = [
      .integer(.min), .real(-0.0), "Grüße", .blob([0, 255]), nil, -3, "2026-11-26", 1, 0, "",
      .blob([]), "12345678", -1, "1234567", .blob([1, 2, 3, 4, 5, 6, 7, 8]), "", 17,
    ]
    #expect(try connection.rows("SELECT 1") == [expected, expected])
    #expect(isUsable(connection))
    node.stop()
  }

  @Test func `random values arrive as they were sent`() throws {
    let cluster = try FakeCluster()
    let connection = try NodeConnection(opening: cluster.addresses[0])
    for seed in 0..<UInt64(rounds(20, long: 4000)) {
      var random = SeededGenerator(seed: seed)
      let values = (0..<Int.random(in: 1...40, using: &random)).map { _ in value(&random) }
      let row = values.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
      let count = Int.random(in: 0...20, using: &random)
      let sql = Array(repeating: "SELECT \(row)", count: count + 1).joined(separator: " UNION ALL ")
      #expect(
        try connection.rows(sql, values) == Array(repeating: values, count: count + 1),
        "seed \(seed)")
    }
  }

  private func value(_ random: inout SeededGenerator) -> DatabaseValue {
    let count = Int.random(
      in: 0...(Int.random(in: 0..<20, using: &random) == 0 ? 5000 : 20), using: &random)
    return switch Int.random(in: 0..<5, using: &random) {
    case 0:
      .integer(
        Int64(truncatingIfNeeded: random.next() >> UInt64.random(in: 0..<64, using: &random)))
    case 1: .real(Double(Int64(bitPattern: random.next())) / 1e9)
    case 2: .text(String((0..<count).map { _ in "aé漢🙂".randomElement(using: &random) ?? "a" }))
    case 3: .blob((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    default: .null
    }
  }

  @Test func `rows of several batches follow each other`() throws {
    var parts: [[UInt8]] = []
    for batch in 0..<5 {
      let rows = (0..<3).map { [FakeValue.plain(.integer(Int64(3 * batch + $0)))] }
      parts.append(FakeReply.rows(["n"], rows, isLast: batch == 4).bytes)
    }
    let (node, connection) = try connection(FakeReply(parts))
    #expect(try connection.rows("SELECT 1") == (0..<15).map { [.integer($0)] })
    #expect(isUsable(connection))
    node.stop()
  }

  @Test func `a query without columns has no rows`() throws {
    let (node, connection) = try connection(.rows([], []))
    let rows = try connection.query("SELECT 1", [], patience)
    #expect(rows.names.isEmpty)
    #expect(try !rows.next(patience))
    #expect(isUsable(connection))
    node.stop()
  }

  @Test func `names may be equal, empty or long`() throws {
    let names = ["a", "a", "", "12345678", String(repeating: "ö", count: 500)]
    let (node, connection) = try connection(
      .rows(names, [[.plain(1), .plain(2), .plain(3), .plain(4), .plain(5)]]))
    let rows = try connection.query("SELECT 1", [], patience)
    #expect(rows.names == names)
    #expect(try rows.all() == [[1, 2, 3, 4, 5]])
    node.stop()
  }

  @Test func `a value is readable only at a row`() throws {
    let (node, connection) = try connection(.rows(["a"], [[.plain(1)]]))
    let rows = try connection.query("SELECT 1", [], patience)
    #expect(failure { try rows.value(at: 0) }?.code == .misuse)
    #expect(try rows.next(patience))
    #expect(try rows.value(at: 0) == 1)
    #expect(failure { try rows.value(at: 1) }?.code == .range)
    #expect(failure { try rows.value(at: -1) }?.code == .range)
    #expect(try !rows.next(patience))
    #expect(try !rows.next(patience))
    #expect(failure { try rows.value(at: 0) }?.code == .misuse)
    node.stop()
  }

  @Test func `another request is refused while rows are outstanding`() throws {
    let (node, connection) = try connection(.rows(["a"], [[.plain(1)]]))
    let rows = try connection.query("SELECT 1", [], patience)
    #expect(failure { try connection.run("INSERT") }?.code == .misuse)
    #expect(failure { try connection.leader(patience) }?.code == .misuse)
    #expect(try rows.all() == [[1]])
    #expect(isUsable(connection))
    node.stop()
  }

  @Test func `text that is not UTF-8 is a mismatch, and the other values are readable`() throws {
    let (node, connection) = try connection(
      .rows(
        ["a", "b"],
        [[.raw(3, [0xff, 0xfe, 0x41, 0, 0, 0, 0, 0]), .plain(2)], [.plain(3), .plain(4)]]))
    let rows = try connection.query("SELECT 1", [], patience)
    #expect(try rows.next(patience))
    let error = failure { try rows.value(at: 0) }
    #expect(error?.code == .mismatch)
    #expect(error?.message.contains("UTF-8") == true)
    #expect(try rows.value(at: 1) == 2)
    #expect(try rows.all() == [[3, 4]])
    #expect(isUsable(connection))
    node.stop()
  }

  @Test func `a failure behind names and rows ends the query`() throws {
    let names = FakeBody.names(["a", "column"])
    let row = FakeBody.row([.plain(.integer(-1)), .plain("text of a row")])
    for text in ["", "malformed JSON", "12345678", "1234567"] {
      for rows in [[], names, names + row, names + row + row] {
        let (node, connection) = try connection(.failure(1, text, behind: rows))
        #expect(
          wireFailure { try connection.rows("SELECT 1") } == .failure(code: 1, message: text))
        #expect(isUsable(connection))
        node.stop()
      }
    }
  }

  @Test func `a failure in a later batch follows the rows before it`() throws {
    let first = FakeReply.rows(["a"], [[.plain(1)]], isLast: false)
    let names = FakeBody.names(["a"])
    let second = FakeReply.failure(10506, "leadership lost", behind: names)
    let (node, connection) = try connection(FakeReply([first.bytes, second.bytes]))
    let rows = try connection.query("SELECT 1", [], patience)
    #expect(try rows.next(patience))
    #expect(try rows.value(at: 0) == 1)
    let expected = WireError.failure(code: 10506, message: "leadership lost")
    #expect(wireFailure { try rows.next(patience) } == expected)
    #expect(wireFailure { try rows.next(patience) } == expected)
    #expect(isUsable(connection))
    node.stop()
  }

  @Test func `batches that never contain rows are refused`() throws {
    let batch = FakeReply.rows([String(repeating: "n", count: 5000)], [], isLast: false)
    let (node, connection) = try connection(
      FakeReply([[UInt8]](repeating: batch.bytes, count: 100_000)))
    let error = failure { try connection.rows("SELECT 1") }
    #expect(error?.code == .tooBig)
    #expect(error?.message.contains("names") == true)
    #expect(!connection.isOpen)
    node.stop()
  }

  @Test func `rows that are not needed are read up to a limit`() throws {
    func reply(_ count: Int) -> FakeReply {
      FakeReply(
        (0..<count).map { FakeReply.rows(["a"], [[.plain(1)]], isLast: $0 == count - 1).bytes })
    }
    for (count, isOpen) in [(1, true), (2, true), (9, true), (10, false), (1000, false)] {
      let (node, connection) = try connection(reply(count))
      let rows = try connection.query("SELECT 1", [], patience)
      #expect(try rows.next(patience))
      try rows.finish(patience)
      #expect(connection.isOpen == isOpen)
      #expect(try !rows.next(patience))
      if isOpen { #expect(isUsable(connection)) }
      node.stop()
    }
  }

  @Test func `a failure among rows that are not needed is ignored`() throws {
    let first = FakeReply.rows(["a"], [[.plain(1)]], isLast: false)
    let (node, connection) = try connection(
      FakeReply([first.bytes, FakeReply.failure(1, "late").bytes]))
    let rows = try connection.query("SELECT 1", [], patience)
    try rows.finish(patience)
    #expect(isUsable(connection))
    node.stop()
  }

  @Test func `released rows close the connection only if more follow`() throws {
    for isLast in [true, false] {
      let (node, connection) = try connection(
        .rows(["a"], [[.plain(1)], [.plain(2)]], isLast: isLast))
      _ = try connection.query("SELECT 1", [], patience).next(patience)
      #expect(connection.isOpen == isLast)
      if isLast { #expect(isUsable(connection)) }
      node.stop()
    }
  }

  @Test func `a query has the rows that SQLite gives, whatever their number`() throws {
    let cluster = try FakeCluster()
    let connection = try NodeConnection(opening: cluster.addresses[0])
    for count in [0, 1, 2, 100, 500, 3000] {
      let rows = try connection.rows(
        """
        WITH RECURSIVE n(x) AS (SELECT 1 WHERE ?1 > 0 UNION ALL SELECT x + 1 FROM n WHERE x < ?1)
        SELECT x, 'text ' || x FROM n
        """, [.integer(Int64(count))])
      #expect(rows == (0..<count).map { [.integer(Int64($0 + 1)), .text("text \($0 + 1)")] })
    }
  }
}
