/// Unavailable overloads, with which the compiler can explain that a parameter takes no array but one of bytes.
extension Statement {
  @available(
    *, unavailable,
    message:
      "A parameter takes one value: bind .json(values), .propertyList(values) or .array(values)"
  )
  public func bind<T>(_ values: [T], toParameter name: String) throws -> Statement {
    throw severalValues
  }

  @available(
    *, unavailable,
    message:
      "A parameter takes one value: bind .json(values), .propertyList(values) or .array(values)"
  )
  public func bind<T>(_ values: [T], toParameter index: Int) throws -> Statement {
    throw severalValues
  }

  private var severalValues: SQLiteError {
    SQLiteError(.misuse, "A parameter takes one value", sql: sql)
  }
}
