/// SQL together with the values for its parameters.
///
/// Write SQL as a literal. Interpolated values are bound, so the content of a value can never become part of
/// the SQL.
///
/// ```swift
/// try connection.execute("INSERT INTO person(name, age) VALUES (\(name), \(age))")
/// let found = try connection.query(
///   .person, "SELECT * FROM person WHERE age >= \(18) AND id IN \(ids)")
/// ```
///
/// - A value of an ``SQLBindable`` type, or an optional one, becomes a parameter. So does an ``SQLParameter``,
///   which chooses the representation: `\(.uuidBytes(id))`.
/// - An array of any size, even an empty one, becomes the right side of `IN`; write no parentheses around it.
///   Only an array of bytes becomes a blob.
/// - `\(identifier: name)` inserts the quoted name of a table or column.
/// - Another `SQL` value is inserted together with its values. If it leaves a comment open, the comment is closed
///   at its end.
/// - `\(raw: text)` inserts text verbatim: never use it with text from an untrusted source.
///
/// Do not interpolate between quotes: the interpolation would become part of the quoted text.
public struct SQL: Sendable {
  // A literal with at most four values is stored as its parts. A connection can find the literal's statement in the
  // cache by these parts, so neither the text nor an array of the values needs to be created.
  @usableFromInline var parts: LiteralParts
  @usableFromInline var first: SQLParameter
  @usableFromInline var second: SQLParameter
  @usableFromInline var third: SQLParameter
  @usableFromInline var fourth: SQLParameter
  /// The complete SQL, if it is not stored as parts.
  ///
  /// If the type of this property were written as `Whole?`, a function call would initialize the property to nil,
  /// and the compiler could not use the known value to optimize.
  @usableFromInline var whole: Optional<Whole>

  @usableFromInline struct Whole: Sendable {
    var text: String
    var parameters: [SQLParameter]
  }

  @inlinable @inline(__always)
  init(_ whole: Whole? = nil) {
    parts = LiteralParts()
    first = SQLParameter(DatabaseValue.null)
    second = SQLParameter(DatabaseValue.null)
    third = SQLParameter(DatabaseValue.null)
    fourth = SQLParameter(DatabaseValue.null)
    self.whole = whole
  }

  /// Creates SQL from text that contains `?` for each of these values.
  package init(text: String, _ parameters: [SQLParameter] = []) {
    self.init(Whole(text: text, parameters: parameters))
  }

  /// The SQL, with `?` for each value.
  public var text: String { whole?.text ?? parts.text }

  /// The values of the parameters, in order.
  public var parameters: [SQLParameter] {
    whole?.parameters ?? Array([first, second, third, fourth].prefix(parts.count))
  }
}

extension SQL: ExpressibleByStringInterpolation {
  /// Creates SQL from text that is known at compile time: no other text can become a `StaticString`.
  @inlinable @inline(__always)
  public init(stringLiteral value: StaticString) {
    var sql = SQL()
    sql.add(value)
    self = sql
  }

  @inlinable @inline(__always)
  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

  /// The parts of a literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    @usableFromInline var sql: SQL

    @inlinable @inline(__always)
    public init(literalCapacity: Int, interpolationCount: Int) {
      sql =
        interpolationCount > 4
        ? SQL(textCount: literalCapacity + interpolationCount, count: interpolationCount) : SQL()
    }

    @inlinable @inline(__always)
    public mutating func appendLiteral(_ literal: StaticString) { sql.add(literal) }

    /// Binds a value.
    @inlinable @inline(__always)
    public mutating func appendInterpolation(_ value: some SQLValue) {
      sql.add(SQLParameter(value))
    }

    /// Binds a value, or NULL for nil.
    @inlinable @inline(__always)
    public mutating func appendInterpolation<Value: SQLValue>(_ value: Value?) {
      // Without this overload, the compiler warns about an interpolated optional.
      sql.add(SQLParameter(value))
    }

    /// Binds a value in its chosen representation.
    @inlinable @inline(__always)
    public mutating func appendInterpolation(_ parameter: SQLParameter) { sql.add(parameter) }

    /// Binds a value of a type that chooses its own representation, or NULL for nil.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ value: (any SQLBindable)?) {
      sql.add(value?.sqlParameter ?? SQLParameter(DatabaseValue.null))
    }

    /// Rejects a value whose type is not ``SQLBindable``, and suggests a solution.
    @_disfavoredOverload
    @available(
      *, unavailable,
      message:
        "Choose a representation, such as .date(value, as: .sqlite), or conform the type to SQLValue; for an enumeration with raw values, the conformance needs no members"
    )
    public mutating func appendInterpolation<Value>(_ value: Value) {}

    /// Binds a blob.
    public mutating func appendInterpolation(_ bytes: [UInt8]) {
      appendInterpolation(.bytes(bytes))
    }

    /// Binds all values of an array, for `IN`.
    public mutating func appendInterpolation(_ values: [some SQLValue]) { append(.array(values)) }

    /// Binds all values of an array, for `IN`, each in its chosen representation.
    public mutating func appendInterpolation(_ values: [SQLParameter]) { append(.array(values)) }

    /// Inserts other SQL with its values, and closes a comment that it leaves open.
    public mutating func appendInterpolation(_ other: SQL) {
      let text = other.text
      sql.append(text + text.endOfComment, other.parameters)
    }

    /// Inserts the quoted name of a table, a column or the like.
    public mutating func appendInterpolation(identifier name: String) {
      // A NUL in the name is rejected together with the SQL that contains it.
      sql.append(name.quoted("\""))
    }

    /// Inserts text verbatim: whoever controls the text can do anything to the database.
    public mutating func appendInterpolation(raw text: String) { sql.append(text) }

    private mutating func append(_ array: SQLParameter) {
      sql.append("sluice_array(?)", CollectionOfOne(array))
    }
  }
}

extension SQL {
  // The initializers for literals are inlined into client code, where the number of values is known. Of each call
  // of `add`, only the assignments to properties then remain. This requires that functions that are not inlined,
  // such as `appending`, return new SQL instead of changing it in place.

  @inlinable @inline(__always)
  mutating func add(_ literal: StaticString) {
    if whole == nil, let part = LiteralPart(literal), parts.add(part) { return }
    self = appending(literal)
  }

  @inlinable @inline(__always)
  mutating func add(_ parameter: SQLParameter) {
    guard whole == nil, parts.count < 4 else {
      self = appending(parameter)
      return
    }
    switch parts.count {
    case 0: first = parameter
    case 1: second = parameter
    case 2: third = parameter
    default: fourth = parameter
    }
    parts.count += 1
  }

  @usableFromInline @inline(never)
  consuming func appending(_ literal: StaticString) -> SQL {
    append(literal.description)
    return self
  }

  @usableFromInline @inline(never)
  consuming func appending(_ parameter: SQLParameter) -> SQL {
    append("?", CollectionOfOne(parameter))
    return self
  }

  /// Creates empty SQL with capacity for long text and many values.
  @usableFromInline @inline(never)
  init(textCount: Int, count: Int) {
    var whole = Whole(text: "", parameters: [])
    whole.text.reserveCapacity(textCount)
    whole.parameters.reserveCapacity(count)
    self.init(whole)
  }

  /// Appends text with its values.
  fileprivate mutating func append(
    _ text: String, _ parameters: some Collection<SQLParameter> = EmptyCollection()
  ) {
    var new = whole.take() ?? Whole(text: self.text, parameters: self.parameters)
    new.text += text
    new.parameters += parameters
    self = SQL(new)
  }

  /// Returns the first SQL followed by the second, with nothing between them.
  public static func + (first: SQL, second: SQL) -> SQL {
    var both = first
    both += second
    return both
  }

  /// Appends the second SQL to the first, with nothing between them.
  public static func += (first: inout SQL, second: SQL) {
    first.append(second.text, second.parameters)
  }
}

extension Sequence<SQL> {
  /// Returns all parts in order, with `separator` between adjacent parts.
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
