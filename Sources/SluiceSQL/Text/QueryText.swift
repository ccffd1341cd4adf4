import Sluice

/// A query as it stands in a file.
struct QueryText: Sendable {
  /// The number of rows that a query returns.
  enum Form: String, Hashable, Sendable, CaseIterable {
    /// All rows.
    case many
    /// The first row, which is there.
    case one
    /// The first row, or nil.
    case optional
    /// Rows as they are asked for.
    case stream
    /// The result, now and after each change.
    case live
    /// The number of changed rows.
    case changes
    /// Nothing.
    case nothing
  }

  /// Something with the place at which it stands, in bytes.
  struct Placed<Value: Sendable>: Sendable {
    let value: Value
    let offset: Int
  }

  let name: Placed<String>
  /// Empty if nothing was said.
  let forms: [Placed<Form>]
  let parameters: [String: Placed<TypeText>]
  let columns: [String: Placed<TypeText>]
  let row: Placed<String>?
  /// Whether its row is one that other files have as well.
  let sharesRow: Bool
  let warnsOfScans: Bool?
  /// The comment above it.
  let documentation: [String]
  /// The statement, without a semicolon.
  let sql: String
  /// Where the statement begins, in bytes.
  let offset: Int
  /// Its tokens, which count from the beginning of the file.
  let tokens: [SQLToken]
}

extension QueryText {
  /// The names of the functions that are made of it.
  var functions: [String] {
    let forms = forms.map(\.value)
    let name = name.value
    return (forms == [.stream] ? [] : [name, name.behind("sync")])
      + (forms.contains(.stream) ? [name.behind("stream")] : [])
      + (forms.contains(.live) ? [name.behind("observe")] : [])
  }

  /// The default name of the struct of its row.
  var ownRow: String { name.value.capitalizedFirst + "Row" }

  /// The first of its functions that another query has, and that query.
  func twin(in owners: [String: QueryText]) -> (function: String, query: QueryText)? {
    functions.lazy.compactMap { name in owners[name].map { (name, $0) } }.first
  }
}

extension String {
  /// The name with a word before it, as in `syncBooks`.
  func behind(_ word: String) -> String { word + capitalizedFirst }
}
