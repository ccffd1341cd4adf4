/// Values for the parameters of SQL, by position or by name.
///
/// Write the values as a literal, with explicit representations where needed:
///
/// ```swift
/// let ordered: SQLParameters = [name, age, .date(born, as: .sqlite)]
/// let named: SQLParameters = ["name": name, "age": age, "born": nil]
/// ```
///
/// Values by position are bound to the parameters in order, starting with the first. A name can include its
/// prefix or omit it. Binding throws ``ResultCode/range`` for a name that no parameter has, and
/// ``ResultCode/misuse`` if two names refer to the same parameter, as `:id` and `id` do.
public struct SQLParameters: Sendable {
  @usableFromInline let content: Content

  @usableFromInline enum Content: Sendable {
    case ordered([SQLParameter])
    case named([(name: String, value: SQLParameter)])
    /// The call lacks the label of the first value.
    case unlabeled
  }

  /// The error for values without their label, which the compiler takes for the second value and later ones.
  @usableFromInline
  static func unlabeled() -> SQLiteError {
    SQLiteError(.misuse, "The label parameters: is missing before the first value")
  }

  /// Creates values by position.
  public init(_ values: some Sequence<some SQLBindable>) {
    content = .ordered(values.map(\.sqlParameter))
  }

  /// Creates values of different types, by position.
  public init(_ values: some Sequence<any SQLBindable>) {
    content = .ordered(values.map(\.sqlParameter))
  }

  /// Creates values of different types, by position, where nil is NULL.
  public init(_ values: some Sequence<(any SQLBindable)?>) {
    content = .ordered(values.map { $0?.sqlParameter ?? .null })
  }

  /// Creates values by name, from a dictionary or other pairs.
  public init<Value: SQLBindable>(_ values: some Sequence<(key: String, value: Value)>) {
    content = .named(values.map { ($0.key, $0.value.sqlParameter) })
  }

  /// Creates values of different types by name, from a dictionary or other pairs.
  public init(_ values: some Sequence<(key: String, value: any SQLBindable)>) {
    content = .named(values.map { ($0.key, $0.value.sqlParameter) })
  }

  /// Creates values of different types by name, from a dictionary or other pairs, where nil is NULL.
  public init(_ values: some Sequence<(key: String, value: (any SQLBindable)?)>) {
    content = .named(values.map { ($0.key, $0.value?.sqlParameter ?? .null) })
  }

  /// Creates values by position from the arguments of a call.
  @usableFromInline
  package init<
    A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable, E: SQLBindable, F: SQLBindable
  >(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ others: [(any SQLBindable)?]
  ) {
    guard A.self != NoValue.self || B.self == NoValue.self else {
      content = .unlabeled
      return
    }
    var values: [SQLParameter] = []
    if A.self != NoValue.self { values.append(a.sqlParameter) }
    if B.self != NoValue.self { values.append(b.sqlParameter) }
    if C.self != NoValue.self { values.append(c.sqlParameter) }
    if D.self != NoValue.self { values.append(d.sqlParameter) }
    if E.self != NoValue.self { values.append(e.sqlParameter) }
    if F.self != NoValue.self { values.append(f.sqlParameter) }
    content = .ordered(values + others.map { $0?.sqlParameter ?? .null })
  }

  /// The default argument for a value that a call omits.
  public struct NoValue: SQLBindable {
    /// Creates the default argument.
    @inlinable public init() {}

    @inlinable public var sqlParameter: SQLParameter { .null }
  }

  /// Whether there are no values.
  var isEmpty: Bool {
    switch content {
    case .ordered(let values): values.isEmpty
    case .named(let values): values.isEmpty
    case .unlabeled: false
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
