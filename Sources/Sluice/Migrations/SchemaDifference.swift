/// In what a schema is not the one that the migrations make.
public enum SchemaDifference: Hashable, Sendable {
  /// The migrations make it, and it is not there.
  case missing(SchemaObject)
  /// It is there, and the migrations do not make it.
  case unexpected(SchemaObject)
  /// The migrations make it otherwise than it is; each of the `details` says in words what differs.
  case different(expected: SchemaObject, found: SchemaObject, details: [String])

  /// The object that is missing, unexpected or different, as the database has it if it does.
  public var object: SchemaObject {
    switch self {
    case .missing(let object), .unexpected(let object), .different(_, let object, _): object
    }
  }
}

extension SchemaDifference: CustomStringConvertible {
  /// The difference in words, with both SQLs if there are two.
  public var description: String {
    switch self {
    case .missing(let object): "The \(object) is missing: \(object.sql)"
    case .unexpected(let object): "Unexpected \(object): \(object.sql)"
    case .different(let expected, let found, let details):
      "The \(found) is different: \(details.joined(separator: ", "))\n"
        + "  expected: \(expected.sql)\n  found: \(found.sql)"
    }
  }
}
