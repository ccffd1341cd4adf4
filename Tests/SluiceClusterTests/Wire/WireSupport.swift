import SluiceCluster
import SluiceCore
import TestSupport
import Testing

/// A time limit that no correct test reaches.
var patience: Patience { Patience(.seconds(60)) }

extension RemoteRows {
  /// The values of all rows that follow.
  func all() throws -> [[DatabaseValue]] {
    var rows: [[DatabaseValue]] = []
    while try next(patience) { rows.append(try names.indices.map { try value(at: $0) }) }
    return rows
  }
}

extension NodeConnection {
  /// Connects to a node, and opens a database.
  convenience init(opening address: NodeAddress) throws {
    try self.init(to: address, patience)
    try open("main", patience)
  }

  func run(_ sql: String, _ values: [DatabaseValue] = []) throws {
    _ = try execute(sql, values, patience)
  }

  func rows(_ sql: String, _ values: [DatabaseValue] = []) throws -> [[DatabaseValue]] {
    try query(sql, values, patience).all()
  }
}

/// Returns the ``WireError`` that `body` throws, or nil if it returns.
///
/// Any other error fails the test.
func wireFailure<T>(
  at location: SourceLocation = #_sourceLocation, _ body: () throws -> T
) -> WireError? {
  failure(as: WireError.self, at: location, body)
}

extension WireError {
  var isBroken: Bool { if case .broken = self { true } else { false } }
  var isUnreachable: Bool { if case .unreachable = self { true } else { false } }
}
