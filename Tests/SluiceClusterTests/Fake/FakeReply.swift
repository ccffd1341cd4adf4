import SluiceCluster

/// The bytes that a server sends, and what it does then.
struct FakeReply: Sendable {
  /// The further behavior of the server.
  enum Ending: Sendable {
    /// The server waits for another request.
    case open
    /// The server closes the connection.
    case closed
    /// The server reads nothing more, and keeps the connection open.
    case silent
  }

  /// The parts of the answer, which are sent one after the other.
  var parts: [[UInt8]]
  var ending = Ending.open

  init(_ parts: [[UInt8]], ending: Ending = .open) {
    self.parts = parts
    self.ending = ending
  }

  static let drop = FakeReply([], ending: .closed)
  static let silence = FakeReply([], ending: .silent)

  /// All parts in one.
  var bytes: [UInt8] { parts.flatMap { $0 } }

  /// The same bytes, of which each one is sent alone.
  var torn: FakeReply { FakeReply(bytes.map { [$0] }, ending: ending) }

  /// The first `count` bytes, after which the connection ends.
  func cut(after count: Int) -> FakeReply {
    FakeReply([Array(bytes.prefix(count))], ending: .closed)
  }
}

/// The answers of a node.
extension FakeReply {
  /// A message with a header, which `body` completes to whole words.
  static func message(_ type: UInt8, _ body: [UInt8]) -> FakeReply {
    let body = FakeBody.padded(body)
    return FakeReply([FakeBody.number(UInt64(body.count / 8), 4) + [type, 0, 0, 0] + body])
  }

  static func failure(_ code: UInt64, _ text: String, behind rows: [UInt8] = []) -> FakeReply {
    message(0, rows + FakeBody.number(code) + FakeBody.text(text))
  }

  static func server(_ id: UInt64, _ address: String) -> FakeReply {
    message(1, FakeBody.number(id) + FakeBody.text(address))
  }

  static let welcome = message(2, FakeBody.number(15_000))

  static func servers(_ members: [NodeMember]) -> FakeReply {
    message(
      3,
      FakeBody.number(UInt64(members.count))
        + members.flatMap {
          FakeBody.number($0.id) + FakeBody.text($0.address) + FakeBody.number($0.role.rawValue)
        })
  }

  static let database = message(4, FakeBody.number(0))

  static func statement(_ id: UInt32, parameters: UInt64) -> FakeReply {
    message(5, FakeBody.number(UInt64(id) << 32) + FakeBody.number(parameters))
  }

  static func result(_ rowid: Int64, _ changes: UInt64) -> FakeReply {
    message(6, FakeBody.number(UInt64(bitPattern: rowid)) + FakeBody.number(changes))
  }

  static let empty = message(8, FakeBody.number(0))

  static func files(_ files: [(name: String, bytes: [UInt8])]) -> FakeReply {
    message(
      9,
      FakeBody.number(UInt64(files.count))
        + files.flatMap { file in
          FakeBody.text(file.name) + FakeBody.number(UInt64(file.bytes.count))
            + FakeBody.padded(file.bytes)
        })
  }

  static func metadata(_ failureDomain: UInt64, _ weight: UInt64) -> FakeReply {
    message(10, FakeBody.number(failureDomain) + FakeBody.number(weight))
  }

  /// One batch of rows.
  static func rows(
    _ names: [String], _ rows: [[FakeValue]], isLast: Bool = true
  ) -> FakeReply {
    message(
      7,
      FakeBody.names(names) + rows.flatMap(FakeBody.row)
        + [UInt8](repeating: isLast ? 0xff : 0xee, count: 8))
  }
}
