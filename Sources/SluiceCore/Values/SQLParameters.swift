/// Values for the parameters of SQL, by position or by name.
///
/// It is written as a literal of values and of explicit representations:
///
/// ```swift
/// let ordered: SQLParameters = [name, age, .date(born, as: .iso8601)]
/// let named: SQLParameters = ["name": name, "age": age, "born": nil]
/// ```
///
/// Values by position belong to the parameters from the first on. A name may be given with its prefix or without.
/// A name that no parameter has throws ``ResultCode/range`` where the values are bound, and two names of one
/// parameter, such as `:id` and `id`, throw ``ResultCode/misuse``.
public struct SQLParameters: Sendable {
  @usableFromInline let content: Content

  @usableFromInline enum Content: Sendable {
    case ordered([SQLParameter])
    case named([(name: String, value: SQLParameter)])
  }

  /// Values by position.
  public init(_ values: some Sequence<some SQLBindable>) {
    content = .ordered(values.map(\.sqlParameter))
  }

  /// Values of different types, by position.
  public init(_ values: some Sequence<any SQLBindable>) {
    content = .ordered(values.map(\.sqlParameter))
  }

  /// Values of different types, by position, of which nil is NULL.
  public init(_ values: some Sequence<(any SQLBindable)?>) {
    content = .ordered(values.map { $0?.sqlParameter ?? .null })
  }

  /// Values by name, from a dictionary or other pairs.
  public init<Value: SQLBindable>(_ values: some Sequence<(key: String, value: Value)>) {
    content = .named(values.map { ($0.key, $0.value.sqlParameter) })
  }

  /// Values of different types by name, from a dictionary or other pairs.
  public init(_ values: some Sequence<(key: String, value: any SQLBindable)>) {
    content = .named(values.map { ($0.key, $0.value.sqlParameter) })
  }

  /// Values of different types by name, of which nil is NULL, from a dictionary or other pairs.
  public init(_ values: some Sequence<(key: String, value: (any SQLBindable)?)>) {
    content = .named(values.map { ($0.key, $0.value?.sqlParameter ?? .null) })
  }

  /// The values of a call, by position.
  @usableFromInline
  package init<
    A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable, E: SQLBindable, F: SQLBindable
  >(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ others: [(any SQLBindable)?]
  ) {
    var values: [SQLParameter] = []
    if A.self != NoValue.self { values.append(a.sqlParameter) }
    if B.self != NoValue.self { values.append(b.sqlParameter) }
    if C.self != NoValue.self { values.append(c.sqlParameter) }
    if D.self != NoValue.self { values.append(d.sqlParameter) }
    if E.self != NoValue.self { values.append(e.sqlParameter) }
    if F.self != NoValue.self { values.append(f.sqlParameter) }
    content = .ordered(values + others.map { $0?.sqlParameter ?? .null })
  }

  /// The default of a value that a call leaves out.
  public struct NoValue: SQLBindable {
    /// Makes the default.
    @inlinable public init() {}

    @inlinable public var sqlParameter: SQLParameter { .null }
  }

  /// Whether there are no values.
  var isEmpty: Bool {
    switch content {
    case .ordered(let values): values.isEmpty
    case .named(let values): values.isEmpty
    }
  }
}

extension SQLParameters: ExpressibleByArrayLiteral {
  public init(arrayLiteral values: (any SQLBindable)?...) {
    content = .ordered(values.map { $0?.sqlParameter ?? .null })
  }
}

extension SQLParameters: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral values: (String, (any SQLBindable)?)...) {
    content = .named(values.map { ($0.0, $0.1?.sqlParameter ?? .null) })
  }
}
