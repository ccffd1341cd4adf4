import SluiceCluster
import Testing

/// A client that sends bytes to a node, without the library's code.
enum RawClient {
  /// Executes SQL in the database `main` of the leader.
  static func execute(_ sql: String, at leader: NodeAddress) throws {
    let socket = try #require(TestSocket.connected(to: leader))
    let open = Frame.message(3, Frame.text("main") + Frame.number(0) + Frame.text(""))
    let execute = Frame.message(8, Frame.number(0) + Frame.text(sql))
    try #require(socket.send(Frame.number(1) + Frame.message(1, Frame.number(0)) + open + execute))
    var answer: [UInt8] = []
    let deadline = ContinuousClock.now + TestCluster.patience
    // The types of the answers are WELCOME, DB and RESULT.
    for type in [2, 4, 6] {
      while answer.count < 8 || answer.count < 8 + size(answer) {
        try #require(ContinuousClock.now < deadline, "no answer to \(sql)")
        answer += try #require(socket.received(), "the node closed the connection")
      }
      let end = 8 + size(answer)
      let content = String(decoding: answer[8..<end], as: UTF8.self).filter { $0 >= " " }
      try #require(answer[4] == type, "\(sql): \(content.filter(\.isASCII))")
      answer.removeFirst(end)
    }
  }

  /// Sends requests, and resets the connection before the node can have answered.
  static func askAndLeave(_ address: NodeAddress) throws {
    let socket = try #require(TestSocket.connected(to: address))
    let question = Frame.message(0, Frame.number(0))
    _ = socket.send(Frame.number(1) + [[UInt8]](repeating: question, count: 1000).flatMap(\.self))
    socket.endByReset()
  }

  /// The number of bytes behind the head of the first message.
  private static func size(_ bytes: [UInt8]) -> Int {
    8 * bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
