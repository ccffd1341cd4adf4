/// A failure in dqlite's protocol, with which a door answers instead of a node.
enum FailureFrame {
  /// The code of dqlite for a node that does not lead: a client tries another one.
  static let notLeader: UInt64 = 10250
  /// The code of SQLite for a request that is not authorized.
  static let notAuthorized: UInt64 = 23

  static func bytes(_ code: UInt64, _ reason: String) -> [UInt8] {
    var body = word(code) + Array(reason.utf8.prefix(2000).filter { $0 != 0 }) + [0]
    while body.count % 8 != 0 { body.append(0) }
    return word(UInt64(body.count / 8)) + body
  }

  private static func word(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
