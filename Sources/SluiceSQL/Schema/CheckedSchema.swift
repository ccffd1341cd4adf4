package import Sluice

/// A migrated in-memory database, in which queries are checked.
package struct CheckedSchema {
  package let connection: Connection
  let layout: DatabaseLayout
  package private(set) var declarations: Declarations

  /// Creates a description of a connection's databases in their current state.
  package init(_ connection: Connection, _ declarations: Declarations = Declarations()) throws {
    self.connection = connection
    layout = try DatabaseLayout(connection, declarations.catalog)
    self.declarations = declarations
    self.declarations.check(layout)
  }

  /// Returns a connection to an in-memory database, with all declared functions, collations and tokenizers.
  package static func connection(_ declarations: Declarations) throws -> Connection {
    let connection = try Connection()
    try add(declarations, to: connection)
    return connection
  }

  /// Adds all declared functions, collations and tokenizers to a connection.
  static func add(_ declarations: Declarations, to connection: Connection) throws {
    for function in declarations.functions {
      if function.isAggregate {
        try connection.addAggregateFunction(
          function.name, arity: function.arity, options: .innocuous
        ) { Nothing() }
      } else {
        try connection.addFunction(
          function.name, arity: function.arity, options: [.deterministic, .innocuous]
        ) { _ in .null }
      }
    }
    for collation in declarations.collations {
      try connection.addCollation(
        collation,
        comparingUTF8: { first, second in
          first.count == second.count
            ? .same : first.count < second.count ? .ascending : .descending
        })
    }
    for tokenizer in declarations.tokenizers {
      try connection.addTokenizer(tokenizer) { _ in NoTokens() }
    }
  }
}

/// A placeholder for an aggregate that the program defines; the program does not run while its package is built.
private final class Nothing: SQLAggregateWindowFunction {
  func step(_ values: borrowing SQLFunctionArguments) {}
  func inverse(_ values: borrowing SQLFunctionArguments) {}
  func value() -> DatabaseValue { .null }
  func final() -> DatabaseValue { .null }
}

/// A placeholder for a tokenizer of the program.
private struct NoTokens: FTS5Tokenizer {
  func tokenize(
    _ text: Span<UInt8>, reason: FTS5TokenizeReason, into tokens: borrowing FTS5TokenSink
  ) {}
}
