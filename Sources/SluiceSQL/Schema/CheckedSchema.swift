package import Sluice

/// A database in memory that has been migrated, in which queries are checked.
package struct CheckedSchema {
  package let connection: Connection
  let layout: DatabaseLayout
  package private(set) var declarations: Declarations

  /// Describes the databases of a connection as they are.
  package init(_ connection: Connection, _ declarations: Declarations = Declarations()) throws {
    self.connection = connection
    layout = try DatabaseLayout(connection)
    self.declarations = declarations
    self.declarations.check(layout)
  }

  /// A database in memory, in which what is declared is there.
  package static func connection(_ declarations: Declarations) throws -> Connection {
    let connection = try Connection()
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
    return connection
  }
}

/// Stands for an aggregate of the program, which is not there when a package is built.
private final class Nothing: SQLAggregateWindowFunction {
  func step(_ values: borrowing SQLFunctionArguments) {}
  func inverse(_ values: borrowing SQLFunctionArguments) {}
  func value() -> DatabaseValue { .null }
  func final() -> DatabaseValue { .null }
}

/// Stands for a tokenizer of the program.
private struct NoTokens: FTS5Tokenizer {
  func tokenize(
    _ text: Span<UInt8>, reason: FTS5TokenizeReason, into tokens: borrowing FTS5TokenSink
  ) {}
}
