/// A statement that a node has prepared for a connection.
package struct PreparedStatement: Hashable, Sendable {
  /// The number of the statement within its connection.
  let id: UInt32
  /// The number of the statement's parameters.
  package let parameterCount: Int
}
