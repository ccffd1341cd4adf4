import Sluice

/// One statement of SQL, as it is sent to a node.
package struct ClusterStatement: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The statement returns rows and writes nothing.
    case read
    /// The statement returns no rows.
    case write
    /// The statement writes, and returns rows by its RETURNING clause.
    case returning
    /// The statement runs in the local database, because it begins or ends a transaction, or is no SQL.
    case local
  }

  package enum Parameter: Hashable, Sendable {
    /// `?`
    case unnamed
    /// `?5`
    case numbered(String)
    /// `:name`, `@name`, `$name` or `#name`
    case named(String)
    /// A number below the highest one that no parameter has.
    case gap
  }

  /// A pragma that applies to one connection to a node, so it must be repeated for the next connection.
  package struct Setting: Hashable, Sendable {
    /// The name of the pragma, in lowercase.
    package let name: String
    package let sql: String
  }

  /// A call of the table-valued function `array`, which nodes do not have.
  package struct ArrayCall: Hashable, Sendable {
    /// The number of the parameter, whose value is sent as JSON.
    package let parameter: Int
    package let original: String
    /// The query that is sent in place of the call.
    package let sent: String
  }

  /// The largest number of parameters that a node accepts.
  package static let maximumParameterCount = 255

  /// The SQL to send, without the semicolon.
  package let text: String
  /// The SQL as the caller wrote it, without the semicolon.
  package let original: String
  package let kind: Kind
  /// The parameters by number; the first one has number 1.
  package let parameters: [Parameter]
  /// The calls of `array` that are sent in another form.
  package let arrayCalls: [ArrayCall]
  /// The setting of the connection that the statement changes; nil for nearly all statements.
  package let setting: Setting?
  let form: Form
  /// Whether the statement contains a `*` that stands for columns.
  let hasStar: Bool

  /// Reads the statement at a position of a script; the body of a trigger is a part of its statement.
  ///
  /// - Returns: The statement, or nil if only white space and comments are left, and the position of the next statement
  ///   in bytes.
  /// - Throws: ``SQLiteError``, if a node cannot run the statement, or would be harmed by it.
  package static func next(in sql: String, from byte: Int) throws -> (ClusterStatement?, end: Int) {
    guard let text = StatementText.next(in: sql, from: byte) else { return (nil, sql.utf8.count) }
    return (try ClusterStatement(text), text.end)
  }

  private init(_ original: StatementText) throws {
    guard !original.bytes[original.range].contains(0) else {
      throw original.error(.misuse, "The SQL contains a NUL character")
    }
    var reader = StatementReader(original)
    let found = try reader.read()
    let parameters = try StatementParameters(original)
    let sent = parameters.sent.withoutOpenComment
    self.parameters = parameters.all
    arrayCalls = parameters.calls
    text = sent[sent.range]
    self.original = original[original.range]
    kind = found.kind
    setting = found.setting
    form = try Form(sent, found)
    hasStar = zip(sent.tokens, sent.tokens.dropFirst()).contains { before, token in
      token.is(sign: "*")
        && (before.is(sign: ",") || before.is(sign: ".") || before.is("select")
          || before.is("distinct") || before.is("all") || before.is("returning"))
    }
  }
}

extension ClusterStatement {
  /// Whether the statement fails or has no effect in a transaction.
  package var runsOutsideTransactions: Bool { setting != nil }

  /// Whether another schema can give the same statement other columns, because it contains a `*` for all columns.
  ///
  /// Any other column that does not exist is an error.
  package var dependsOnSchema: Bool { form.hasColumns && hasStar }

  /// The numbers of the parameters whose values are arrays.
  ///
  /// The local statement passes them to the function `sluice_json`, whose result is sent.
  package var arrays: Set<Int> { Set(arrayCalls.map(\.parameter)) }

  /// Returns the statement for the local database, which has the same parameters and columns.
  ///
  /// `names` are the names of the columns, as a node returns them for ``names``. If they are too long for an answer of
  /// a node, the method throws ``ResultCode/tooBig``.
  package func localSQL(names: [String]) throws -> String {
    switch kind {
    case .local: return text
    case .write:
      let table = RemoteTables.writes(.fitting(columns: 0, parameters: parameters.count))
      let columns = ["text", "size"] + parameters.indices.map { "p\($0 + 1)" }
      let values = arguments(size: parameters.count)
      return "INSERT INTO \(table)(\(columns.joined(separator: ", "))) VALUES (\(values))"
    case .read, .returning:
      guard !names.isEmpty else {
        throw SQLiteError(.error, "The node returned no names of columns", sql: text)
      }
      try checkSize(of: names)
      let columns = names.enumerated().map { "c\($0.offset) AS \(original($0.element).quotedName)" }
      let size = RemoteTables.Size.fitting(columns: names.count, parameters: parameters.count)
      let values = arguments(size: Self.number(of: names), inPacks: size.hasPacks)
      return "SELECT \(columns.joined(separator: ", ")) FROM \(RemoteTables.rows(size))(\(values))"
    }
  }

  /// Returns a number for the names of columns, by which a local statement finds that they have changed.
  static func number(of names: [String]) -> Int {
    var hash = StableHash()
    for byte in names.joined(separator: "\0").utf8 { hash.combine(byte) }
    return Int(hash.value >> 1)
  }

  /// Returns the text of the statement, a size and the parameters, separated by commas.
  private func arguments(size: Int, inPacks: Bool = false) -> String {
    let arrays = arrays
    let values = parameters.enumerated().map { index, parameter in
      let value =
        switch parameter {
        case .unnamed: "?"
        case .numbered(let text), .named(let text): text
        case .gap: "NULL"
        }
      return arrays.contains(index + 1) ? "sluice_json(\(value))" : value
    }
    let arguments = inPacks ? ParameterPack.calls(values) : values
    return ([text.quoted("'"), String(size)] + arguments).joined(separator: ", ")
  }

  /// Returns the name of a column in the original statement, which can contain a call of `array`.
  private func original(_ name: String) -> String {
    arrayCalls.reduce(name) { name, call in
      name.contains(call.sent)
        ? name.replacing(call.sent, with: call.original, maxReplacements: 1) : name
    }
  }

  /// The largest size of all names in an answer, in bytes.
  ///
  /// A node returns batches of about 4 KiB, which begin with the names. If the names fill a batch, with 4,080 bytes or
  /// more, the node sends batches without rows, and never ends.
  package static let maximumSizeOfNames = 4_000

  private func checkSize(of names: [String]) throws {
    // A name ends with NUL, and is padded to a multiple of 8 bytes.
    let size = names.reduce(0) { $0 + ($1.utf8.count + 8) / 8 * 8 }
    guard size <= Self.maximumSizeOfNames else {
      throw SQLiteError(
        .tooBig,
        "The names of the \(names.count) columns have \(size) bytes, but a node supports"
          + " \(Self.maximumSizeOfNames): select fewer columns, or name them with AS",
        sql: text)
    }
  }
}
