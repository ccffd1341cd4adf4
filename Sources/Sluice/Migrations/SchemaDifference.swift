/// A difference between a schema and the schema that the migrations create.
public enum SchemaDifference: Hashable, Sendable {
  /// An object that the migrations create, but that the database does not have.
  case missing(SchemaObject)
  /// An object that the database has, but that the migrations do not create.
  case unexpected(SchemaObject)
  /// An object that differs from the one that the migrations create.
  ///
  /// Each of the `details` describes one difference.
  case different(expected: SchemaObject, found: SchemaObject, details: [String])

  /// The object that is missing, unexpected or different; if it is different, the database's version of it.
  public var object: SchemaObject {
    switch self {
    case .missing(let object), .unexpected(let object), .different(_, let object, _): object
    }
  }
}

extension SchemaDifference: CustomStringConvertible {
  /// A description of the difference, with the SQL of each version of the object.
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
