/// The properties of a query that determine its result in a transaction.
package struct QueryIdentity: Hashable, Sendable {
  // Strings are stored as values of SQLite, of which only identical ones are equal.
  private struct Value: Hashable {
    let name: DatabaseValue?
    let value: DatabaseValue
    /// Tells 0.0 and -0.0 apart.
    let isNegative: Bool
  }

  private let type: ObjectIdentifier
  /// The type of the result, such as an array of values of the type.
  private var result: ObjectIdentifier?
  private let sql: DatabaseValue
  private let values: [Value]

  /// Creates the identity of a query whose rows become values of a type, which alone decides how.
  ///
  /// The result is nil if the values of the parameters cannot be compared.
  package init?(_ type: any Any.Type, _ sql: String, _ parameters: SQLParameters) {
    self.type = ObjectIdentifier(type)
    self.sql = .text(sql)
    var values: [Value] = []
    func add(_ parameter: SQLParameter, _ name: String? = nil) -> Bool {
      // A NaN does not equal itself, so a query with it would never be found again.
      guard case .value(let value) = parameter.content, value == value else { return false }
      let isNegative = if case .real(let number) = value { number.sign == .minus } else { false }
      values.append(Value(name: name.map { .text($0) }, value: value, isNegative: isNegative))
      return true
    }
    switch parameters.content {
    case .ordered(let parameters):
      guard parameters.allSatisfy({ add($0) }) else { return nil }
    case .named(let parameters):
      guard parameters.allSatisfy({ add($0.value, $0.name) }) else { return nil }
    case .unlabeled: return nil
    }
    self.values = values
  }

  /// Returns the identity of a query with this one and a result of a type.
  func of(_ result: any Any.Type) -> QueryIdentity {
    var identity = self
    identity.result = ObjectIdentifier(result)
    return identity
  }
}
