/// The bytes of requests in dqlite's protocol.
enum Frame {
  /// The version of the protocol, which a client sends first.
  static let protocolVersion = number(1)
  /// The request with which a client begins.
  static let client = message(1, number(0))
  /// The 16 bytes for which a node of dqlite 1.11 ends: the version, and a request without a body.
  static let fatal = protocolVersion + number(0)

  static func message(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
    number(UInt64(body.count / 8) | UInt64(type) << 32) + body
  }

  static func number(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  static func text(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8) + [0]
    return bytes + [UInt8](repeating: 0, count: (8 - bytes.count % 8) % 8)
  }

  static func blob(_ bytes: [UInt8]) -> [UInt8] {
    number(UInt64(bytes.count)) + bytes
      + [UInt8](repeating: 0, count: (8 - bytes.count % 8) % 8)
  }

  /// The parameters of a statement, of types and values.
  static func parameters(_ values: [(type: UInt8, bytes: [UInt8])]) -> [UInt8] {
    var head = [UInt8(values.count)] + values.map(\.type)
    while head.count % 8 != 0 { head.append(0) }
    return head + values.flatMap(\.bytes)
  }

  /// A valid request of each type, and whether a client may send it.
  static let valid: [(type: UInt8, body: [UInt8], isForClients: Bool)] = [
    (0, number(0), true), (1, number(7), true), (3, text("main") + number(0) + text(""), true),
    (4, number(0) + text("SELECT 1"), true), (5, number(0), true),
    (6, number(0) + parameters([(1, number(1)), (4, blob([1, 2, 3]))]), true),
    (7, number(1), true), (8, number(0) + text("INSERT INTO u VALUES (1)"), true),
    (
      9,
      number(0) + text("SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8")
        + parameters([
          (1, number(.max)), (2, number(0)), (3, text("")), (3, text("12345678")), (4, blob([])),
          (4, blob([UInt8](repeating: 9, count: 9))), (5, number(0)), (11, number(1)),
        ]), true
    ),
    (10, number(0), true), (11, number(2) + text("10.0.0.2:9001"), false),
    (12, number(2) + text("10.0.0.2:9001"), false), (13, number(2) + number(2), false),
    (14, number(2), false), (15, text("main"), true), (16, number(1), true),
    (17, number(2), false), (18, number(0), true), (19, number(5), false),
  ]

  /// Requests for which a node must not get a byte.
  static let invalid: [(name: String, bytes: [UInt8])] = [
    ("an empty body", number(0)), ("an empty body of a query", number(9 << 32)),
    ("an unknown type", message(2, number(0))), ("another unknown type", message(200, number(0))),
    ("a schema", number(1 | 1 << 32 | 1 << 40) + number(0)),
    ("a reserved value", number(1 | 1 << 32 | 1 << 48) + number(0)),
    ("a huge length", number(0xffff_ffff | 8 << 32) + number(0)),
    ("a missing name", message(3, text("") + number(0) + text(""))),
    ("a missing name of a dump", message(15, text(""))),
    ("a role that does not exist", message(13, number(1) + number(3))),
    ("a format of members", message(16, number(0))),
    ("a format of metadata", message(18, number(1))),
    ("a text without an end", message(4, number(0) + [UInt8](repeating: 65, count: 16))),
    ("a body without its text", message(4, number(0))),
    ("bytes after the text", message(4, number(0) + text("SELECT 1") + number(0))),
    ("an unknown parameter", message(6, number(0) + parameters([(6, number(0))]))),
    ("no parameters, but their number", message(6, number(0) + number(0))),
    ("a missing parameter", message(6, number(0) + parameters([(1, number(1)), (1, [])]))),
    ("a missing type", message(6, number(0) + [255, 1, 1, 1, 1, 1, 1, 1])),
    ("a blob longer than its body", message(6, number(0) + parameters([(4, number(9))]))),
    ("a blob of 2^64 bytes", message(6, number(0) + parameters([(4, number(.max))]))),
    ("a value after the last", message(6, number(0) + parameters([(1, number(1))]) + number(1))),
  ]
}
