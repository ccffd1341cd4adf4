/// SQL together with the values for its parameters.
///
/// It is written as a literal, and what is interpolated is bound: nothing that a value holds can
/// become a part of the SQL.
///
/// ```swift
/// try connection.execute("INSERT INTO person(name, age) VALUES (\(name), \(age))")
/// let found = try connection.query(
///   .person, "SELECT * FROM person WHERE age >= \(18) AND id IN \(ids)")
/// ```
///
/// - A value of a type that SQL can carry, also an optional one, becomes a parameter, and so does an
///   ``SQLParameter``, which chooses the representation: `\(.uuidBytes(id))`.
/// - An array becomes what stands behind `IN`, without parentheses, be it empty or large; but one of
///   bytes is a blob.
/// - `\(identifier: name)` is a quoted name of a table or column.
/// - Other SQL becomes a part of this one, with its values. If it ends in a comment, that ends there.
/// - `\(raw: text)` is pasted as it is: never with text that comes from outside.
///
/// Nothing of this belongs between quotes: what stands there is a part of that text.
public struct SQL: Sendable {
  /// The SQL, with `?` for each value.
  public private(set) var text: String
  /// The values in order.
  public private(set) var parameters: [SQLParameter]
}

extension SQL: ExpressibleByStringInterpolation {
  /// Takes text that is known when the program is compiled: no other can become a `StaticString`.
  public init(stringLiteral value: StaticString) { self.init(text: value.description) }

  private init(text: String) {
    self.text = text
    parameters = []
  }

  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

  /// What a literal is put together from.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var sql = SQL(text: "")

    public init(literalCapacity: Int, interpolationCount: Int) {
      sql.text.reserveCapacity(literalCapacity + interpolationCount)
      sql.parameters.reserveCapacity(interpolationCount)
    }

    public mutating func appendLiteral(_ literal: StaticString) {
      sql.text += literal.description
    }

    /// Binds a value.
    public mutating func appendInterpolation(_ value: some SQLValue) {
      appendInterpolation(SQLParameter(value))
    }

    /// Binds a value, or NULL for nil.
    public mutating func appendInterpolation<Value: SQLValue>(_ value: Value?) {
      // The compiler warns of an optional where none is asked for.
      appendInterpolation(SQLParameter(value))
    }

    /// Binds a value in the representation that was chosen for it.
    public mutating func appendInterpolation(_ parameter: SQLParameter) {
      sql.text += "?"
      sql.parameters.append(parameter)
    }

    /// Binds a blob.
    public mutating func appendInterpolation(_ bytes: [UInt8]) {
      appendInterpolation(.bytes(bytes))
    }

    /// Binds all values of an array, for `IN`.
    public mutating func appendInterpolation(_ values: [some SQLValue]) { append(.array(values)) }

    /// Binds all values of an array, for `IN`, in the representation that was chosen for each.
    public mutating func appendInterpolation(_ values: [SQLParameter]) { append(.array(values)) }

    /// Puts other SQL in, with its values; a comment at its end is closed.
    public mutating func appendInterpolation(_ other: SQL) {
      sql += other
      sql.text += other.text.endOfComment
    }

    /// Puts the name of a table, column or the like in, quoted.
    public mutating func appendInterpolation(identifier name: String) {
      // A NUL in it is refused with the SQL that holds it.
      sql.text += name.quoted("\"")
    }

    /// Puts text in as it is: whoever can say what it is can do anything to the database.
    public mutating func appendInterpolation(raw text: String) { sql.text += text }

    private mutating func append(_ array: SQLParameter) {
      sql.text += "sluice_array(?)"
      sql.parameters.append(array)
    }
  }
}

extension SQL {
  /// One SQL behind the other, with nothing between them.
  public static func + (first: SQL, second: SQL) -> SQL {
    var both = first
    both += second
    return both
  }

  /// Puts another SQL behind this one, with nothing between them.
  public static func += (first: inout SQL, second: SQL) {
    first.text += second.text
    first.parameters += second.parameters
  }
}

extension Sequence<SQL> {
  /// All parts, with `separator` between each two of them.
  ///
  /// ```swift
  /// let conditions: [SQL] = ["age >= \(18)", "name LIKE \(pattern)"]
  /// let found = try connection.query(
  ///   .person, "SELECT * FROM person WHERE \(conditions.joined(separator: " AND "))")
  /// ```
  public func joined(separator: SQL) -> SQL {
    var result: SQL = ""
    for (index, part) in enumerated() { result += index == 0 ? "\(part)" : "\(separator)\(part)" }
    return result
  }
}

extension SQL: CustomStringConvertible {
  /// The SQL without the values.
  public var description: String { text }
}
