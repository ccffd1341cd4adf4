/// Unavailable overloads, with which the compiler can explain that a parameter takes no array but one of bytes.
///
/// The compiler prefers the overloads for arrays of `Int` for an array literal, which would otherwise consist of bytes.
extension Statement {
  @available(
    *, unavailable,
    message:
      "A parameter takes one value: bind .json(values), .propertyList(values) or bytes as [UInt8]"
  )
  public func bind(_ values: [Int], toParameter name: String) throws -> Statement {
    throw severalValues
  }

  @available(
    *, unavailable,
    message:
      "A parameter takes one value: bind .json(values), .propertyList(values) or bytes as [UInt8]"
  )
  public func bind(_ values: [Int], toParameter index: Int) throws -> Statement {
    throw severalValues
  }

  @available(
    *, unavailable,
    message:
      "A parameter takes one value: bind .json(values), .propertyList(values) or .array(values)"
  )
  @_disfavoredOverload  // An array of bytes is a value.
  public func bind<T>(_ values: [T], toParameter name: String) throws -> Statement {
    throw severalValues
  }

  @available(
    *, unavailable,
    message:
      "A parameter takes one value: bind .json(values), .propertyList(values) or .array(values)"
  )
  @_disfavoredOverload  // An array of bytes is a value.
  public func bind<T>(_ values: [T], toParameter index: Int) throws -> Statement {
    throw severalValues
  }

  private var severalValues: SQLiteError {
    SQLiteError(.misuse, "A parameter takes one value", sql: sql)
  }
}
