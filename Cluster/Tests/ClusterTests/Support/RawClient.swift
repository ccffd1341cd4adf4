import SluiceCluster
import Testing

/// A client that sends bytes to a node, without the library's code.
enum RawClient {
  /// Executes SQL in the database `main` of the leader.
  static func execute(_ sql: String, at leader: NodeAddress) throws {
    let socket = try #require(TestSocket.connected(to: leader))
    let open = message(3, text("main") + number(0) + text(""))
    let execute = message(8, number(0) + text(sql))
    try #require(socket.send(number(1) + message(1, number(0)) + open + execute))
    var answer: [UInt8] = []
    let deadline = ContinuousClock.now + TestCluster.patience
    // The types of the answers are WELCOME, DB and RESULT.
    for type in [2, 4, 6] {
      while answer.count < 8 || answer.count < 8 + size(answer) {
        try #require(ContinuousClock.now < deadline, "no answer to \(sql)")
        answer += try #require(socket.received(), "the node closed the connection")
      }
      let end = 8 + size(answer)
      let content = String(decoding: answer[8..<end], as: UTF8.self)
      try #require(answer[4] == type, "\(sql): \(content.filter(\.isASCII))")
      answer.removeFirst(end)
    }
  }

  /// Sends requests, and resets the connection before the node can have answered.
  static func askAndLeave(_ address: NodeAddress) throws {
    let socket = try #require(TestSocket.connected(to: address))
    let question = message(0, number(0))
    _ = socket.send(number(1) + [[UInt8]](repeating: question, count: 1000).flatMap(\.self))
    socket.endByReset()
  }

  private static func message(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
    number(UInt64(body.count / 8) | UInt64(type) << 32) + body
  }

  private static func number(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  private static func text(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8) + [0]
    return bytes + [UInt8](repeating: 0, count: (8 - bytes.count % 8) % 8)
  }

  /// The number of bytes behind the head of the first message.
  private static func size(_ bytes: [UInt8]) -> Int {
    8 * bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
