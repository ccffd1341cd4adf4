import SluiceCluster
import SluiceCore
import SluiceTesting
import TestSupport
import Testing

/// A request, and an answer that is valid for it.
private struct Exchange: Sendable, CustomStringConvertible {
  let description: String
  let reply: FakeReply
  /// Sends the request, and returns a description of its result.
  let run: @Sendable (NodeConnection, Patience) throws -> String

  static let all: [Exchange] = [
    Exchange(description: "leader", reply: .server(2, "127.0.0.1:9001")) {
      "\(String(describing: try $0.leader($1)?.address))"
    },
    Exchange(description: "open", reply: .database) { "\(try $0.open("main", $1))" },
    Exchange(description: "execute", reply: .result(3, 4)) {
      "\(try $0.execute("INSERT", [1], $1))"
    },
    Exchange(
      description: "members",
      reply: .servers([
        NodeMember(id: 1, address: "127.0.0.1:9001", role: .voter),
        NodeMember(id: 2, address: "127.0.0.1:9002", role: .spare),
      ])
    ) { "\(try $0.members($1).map(\.address))" },
    Exchange(description: "remove", reply: .empty) { "\(try $0.remove(id: 1, $1))" },
    Exchange(
      description: "dump", reply: .files([("main", [1, 2, 3, 4, 5, 6, 7, 8]), ("main-wal", [9])])
    ) { "\(try $0.dump("main", $1).map(\.bytes))" },
    Exchange(description: "describe", reply: .metadata(1, 2)) {
      "\(try $0.failureDomain($1))"
    },
    Exchange(
      description: "query",
      reply: .rows(
        ["id", "name of the column", "c"],
        [
          [.plain(1), .plain("first"), .plain(nil)],
          [.plain(0.5), .plain(.blob([1, 2])), .boolean(1)],
          [.isoTime("2026"), .unixTime(9), .plain("12345678")],
        ]), run: rows),
    Exchange(
      description: "query with two batches",
      reply: FakeReply([
        FakeReply.rows(["a", "b"], [[.plain(1), .plain("x")]], isLast: false).bytes
          + FakeReply.rows(["a", "b"], [[.plain(2), .plain("y")]]).bytes
      ]), run: rows),
    Exchange(
      description: "query that fails",
      reply: FakeReply([
        FakeReply.rows(["a"], [[.plain(1)]], isLast: false).bytes
          + FakeReply.failure(1, "malformed JSON", behind: FakeBody.names(["a"])).bytes
      ]), run: rows),
  ]

  private static let rows: @Sendable (NodeConnection, Patience) throws -> String = {
    connection, patience in
    let rows = try connection.query("SELECT", [], patience)
    var text = "\(rows.names)"
    while try rows.next(patience) {
      for index in rows.names.indices { text += " \(try rows.value(at: index))" }
    }
    return text
  }
}

/// The outcome of an exchange.
private enum Outcome: Equatable {
  case result(String)
  case error(WireError)
  case sqlite(ResultCode)
  case other(String)
}

@Suite(.tags(.reliability)) struct `Hostile nodes` {
  /// A node whose answers after the first two requests are set by the test.
  private final class Puppet: Sendable {
    private let node: FakeNode
    private let box = Box()

    init() throws {
      // The node must not retain the puppet, which retains the node.
      let box = box
      node = try FakeNode { _ in Session(box) }
    }

    final class Box: Sendable { let reply = Locked(FakeReply.drop) }

    /// Welcomes the client, opens its database, and then answers everything with the same bytes.
    final class Session: FakeSession {
      private let box: Box
      private var count = 0

      init(_ box: Box) { self.box = box }

      func answer(_ request: FakeRequest?) -> FakeReply {
        count += 1
        return count == 1 ? .welcome : count == 2 ? .database : box.reply.withLock { $0 }
      }
    }

    func outcome(
      of exchange: Exchange, _ reply: FakeReply, _ patience: Patience = patience
    ) throws -> (outcome: Outcome, connection: NodeConnection) {
      box.reply.withLock { $0 = reply }
      let connection = try NodeConnection(opening: node.address)
      let outcome: Outcome
      do { outcome = .result(try exchange.run(connection, patience)) } catch let error as WireError
      {
        outcome = .error(error)
      } catch let error as SQLiteError {
        outcome = .sqlite(error.code)
      } catch {
        outcome = .other("\(error)")
      }
      return (outcome, connection)
    }
  }

  @Test(arguments: Exchange.all)
  private func `an answer that arrives byte by byte is the same answer`(exchange: Exchange) throws {
    let puppet = try Puppet()
    let (whole, first) = try puppet.outcome(of: exchange, exchange.reply)
    let (torn, second) = try puppet.outcome(of: exchange, exchange.reply.torn)
    #expect(torn == whole)
    #expect(first.isOpen)
    #expect(second.isOpen)
  }

  @Test(arguments: Exchange.all)
  private func `an answer that ends at any byte is an error`(exchange: Exchange) throws {
    let puppet = try Puppet()
    for count in 0..<exchange.reply.bytes.count {
      let (outcome, connection) = try puppet.outcome(of: exchange, exchange.reply.cut(after: count))
      guard case .error(.broken) = outcome else {
        Issue.record("after \(count) bytes: \(outcome)")
        continue
      }
      #expect(!connection.isOpen, "after \(count) bytes")
    }
  }

  @Test func `random changes of an answer are errors or other results`() throws {
    let puppet = try Puppet()
    for seed in 0..<UInt64(rounds(800, long: 150_000)) {
      var random = SeededGenerator(seed: seed)
      let exchange = try #require(Exchange.all.randomElement(using: &random))
      let bytes = damaged(exchange.reply.bytes, &random)
      let (outcome, connection) = try puppet.outcome(
        of: exchange, FakeReply([bytes], ending: .closed))
      switch outcome {
      case .result, .error(.failure): break
      case .error(.broken), .sqlite(.tooBig): #expect(!connection.isOpen, "seed \(seed)")
      case .sqlite(.mismatch): break
      default: Issue.record("seed \(seed), \(exchange): \(outcome)")
      }
    }
  }

  /// Changes words, bytes, or the length of an answer; the header often stays valid.
  private func damaged(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return Hostile.damaged(bytes, &random)
    case 1:
      // A type of another answer.
      bytes[4] = UInt8.random(in: 0...12, using: &random)
    case 2:
      let words: [UInt64] = [
        0, 1, .max, 1 << 63, 1 << 32, 0xeeee_eeee_eeee_eeee, UInt64(Int64.max), random.next(),
      ]
      for _ in 0...Int.random(in: 0...2, using: &random) {
        let word = Int.random(in: 1..<bytes.count / 8, using: &random)
        bytes.replaceSubrange(
          8 * word..<8 * word + 8, with: FakeBody.number(words.randomElement(using: &random) ?? 0))
      }
    default:
      for _ in 0...Int.random(in: 0...4, using: &random) {
        let index = Int.random(in: 8..<bytes.count, using: &random)
        bytes[index] = UInt8.random(in: 0...255, using: &random)
      }
    }
    return bytes
  }

  @Test func `random bytes are errors`() throws {
    let puppet = try Puppet()
    for seed in 0..<UInt64(rounds(200, long: 20_000)) {
      var random = SeededGenerator(seed: seed)
      let exchange = try #require(Exchange.all.randomElement(using: &random))
      let count = Int.random(in: 0...200, using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let (outcome, connection) = try puppet.outcome(
        of: exchange, FakeReply([bytes], ending: .closed))
      guard case .error(.broken) = outcome else {
        Issue.record("seed \(seed), \(exchange): \(outcome)")
        continue
      }
      #expect(!connection.isOpen, "seed \(seed)")
    }
  }

  @Test(arguments: [
    // Numbers of elements that no memory could contain.
    FakeReply.message(3, FakeBody.number(.max)), .message(3, FakeBody.number(1 << 60)),
    .message(7, FakeBody.number(.max) + [UInt8](repeating: 0xff, count: 8)),
    .message(7, FakeBody.number(1 << 61) + [UInt8](repeating: 0xff, count: 8)),
    .message(9, FakeBody.number(1 << 61) + FakeBody.text("a")),
    .message(9, FakeBody.number(1) + FakeBody.text("a") + FakeBody.number(.max)),
    .message(9, FakeBody.number(1) + FakeBody.text("a") + FakeBody.number(UInt64(Int64.max))),
    // A role that does not exist.
    .message(3, FakeBody.number(1) + FakeBody.number(1) + FakeBody.text("a") + FakeBody.number(3)),
    // Changes that no `Int` can count.
    .message(6, FakeBody.number(1) + FakeBody.number(.max)),
    .message(5, FakeBody.number(1) + FakeBody.number(.max)),
    // Bodies without content.
    .message(0, []), .message(1, []), .message(2, []), .message(3, []), .message(4, []),
    .message(5, []), .message(6, []), .message(7, []), .message(8, []), .message(9, []),
    .message(10, []), .message(11, []), .message(255, []),
    // A schema, and bits that are reserved.
    FakeReply([[1, 0, 0, 0, 8, 1, 0, 0] + [UInt8](repeating: 0, count: 8)]),
    FakeReply([[1, 0, 0, 0, 8, 0, 0, 1] + [UInt8](repeating: 0, count: 8)]),
    // A length of 32 GiB, of which nothing follows.
    FakeReply([[255, 255, 255, 255, 7, 0, 0, 0]], ending: .closed),
    FakeReply([[255, 255, 255, 1, 7, 0, 0, 0]], ending: .closed),
    // Failures without an end, a code, or a text.
    .message(0, [UInt8](repeating: 1, count: 64)), .message(0, [UInt8](repeating: 1, count: 8)),
    .message(0, [UInt8](repeating: 0xff, count: 8) + FakeBody.text("text")),
    .message(0, FakeBody.number(1)),
    .message(0, FakeBody.number(0x80_00_00_00_00_00_00_01 as UInt64) + FakeBody.text("text")),
    // Rows that are incomplete, have unknown types, or have no columns.
    .message(7, FakeBody.names(["a"]) + [UInt8](repeating: 0, count: 8)),
    .message(7, FakeBody.names(["a"])),
    .message(7, FakeBody.number(2) + FakeBody.text("a") + [UInt8](repeating: 0xff, count: 8)),
    .rows([], [[]], isLast: false),
    .message(7, FakeBody.number(0) + [UInt8](repeating: 0xff, count: 16)),
    .rows(["a"], [[.raw(0, [])]]), .rows(["a"], [[.raw(6, [])]]), .rows(["a"], [[.raw(12, [])]]),
    .rows(["a"], [[.raw(1, [])]]), .rows(["a"], [[.raw(3, [])]]),
    .rows(["a"], [[.raw(3, [UInt8](repeating: 0x61, count: 64))]]),
    .rows(["a"], [[.raw(4, FakeBody.number(9) + FakeBody.number(0))]]),
    .rows(["a"], [[.raw(4, FakeBody.number(.max))]]),
    .rows(["a"], [[.raw(4, FakeBody.number(UInt64(Int64.max)))]]),
    // Batches with different columns.
    FakeReply([
      FakeReply.rows(["a"], [[.plain(1)]], isLast: false).bytes + FakeReply.rows(["b"], []).bytes
    ]),
    FakeReply([
      FakeReply.rows(["a"], [[.plain(1)]], isLast: false).bytes
        + FakeReply.rows(["a", "b"], []).bytes
    ]),
    FakeReply([FakeReply.rows(["a"], [[.plain(1)]], isLast: false).bytes + FakeReply.empty.bytes]),
  ])
  func `an answer without sense is an error for each request`(reply: FakeReply) throws {
    let puppet = try Puppet()
    var reply = reply
    reply.ending = .closed
    for exchange in Exchange.all {
      let (outcome, connection) = try puppet.outcome(of: exchange, reply)
      // An empty message of zeros is a valid answer to some requests.
      if case .result = outcome, reply.bytes[4] == 8 || reply.bytes[4] == 4 { continue }
      guard case .error(.broken) = outcome else {
        Issue.record("\(exchange): \(outcome)")
        continue
      }
      #expect(!connection.isOpen)
    }
  }

  #if os(Linux)
    @Test func `a declared length needs no memory until its bytes arrive`() throws {
      let puppet = try Puppet()
      // A header that declares 256 MiB, and few of these bytes.
      let bytes: [UInt8] = [0, 0, 0, 2, 7, 0, 0, 0] + [UInt8](repeating: 1, count: 4096)
      let before = try peakMemory()
      for exchange in Exchange.all {
        let (outcome, _) = try puppet.outcome(of: exchange, FakeReply([bytes], ending: .closed))
        guard case .error(.broken) = outcome else {
          Issue.record("\(exchange): \(outcome)")
          continue
        }
      }
      #expect(try peakMemory() - before < 128 << 20)
    }
  #endif

  @Test func `a failure that is too long for an answer to a dump ends the connection`() throws {
    let puppet = try Puppet()
    let dump = try #require(Exchange.all.first { $0.description == "dump" })
    let reply = FakeReply.failure(1, String(repeating: "x", count: 200_000))
    let (outcome, connection) = try puppet.outcome(of: dump, reply)
    guard case .error(.broken) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(!connection.isOpen)
  }

  @Test func `batches without rows end a query, whose names are not to blame if they are short`()
    throws
  {
    let puppet = try Puppet()
    let batch = FakeReply.message(7, FakeBody.names(["a"]) + [UInt8](repeating: 0xee, count: 8))
    let reply = FakeReply([[UInt8]](repeating: batch.bytes, count: 5), ending: .closed)
    let query = try #require(Exchange.all.first { $0.description == "query" })
    guard case .error(.broken(let reason)) = try puppet.outcome(of: query, reply).0 else {
      Issue.record("No error")
      return
    }
    #expect(reason.hasSuffix("3 parts of an answer have no rows"))
  }

  @Test func `the text of a node is short and without control characters in an error`() async throws
  {
    let text = String(repeating: "\u{1b}[31m\u{2028}\n", count: 10_000)
    let node = try FakeNode { if case .leader = $0 { .failure(1, text) } else { nil } }
    var options = Cluster.Options()
    options.failoverTimeout = .milliseconds(100)
    let cluster = try Cluster(nodes: [node.address], database: "main", options: options)
    let error = await #expect(throws: ClusterError.self) {
      _ = try await cluster.read { try $0.first(.column(.int), sql: "SELECT 1") }
    }
    let description = "\(try #require(error))"
    #expect(description.count < 20_000)
    #expect(description.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 0x2028 })
    #expect(description.contains(#"\u{1B}[31m\u{2028}\n"#))
  }

  @Test func `a node that never answers costs the time until the deadline`() throws {
    let puppet = try Puppet()
    for exchange in Exchange.all {
      let (outcome, connection) = try puppet.outcome(
        of: exchange, .silence, Patience(.milliseconds(20)))
      switch outcome {
      // On a slow machine, the deadline passes before the request is sent.
      case .error(.broken), .error(.unreachable): #expect(!connection.isOpen)
      default: Issue.record("\(exchange): \(outcome)")
      }
    }
  }
}
