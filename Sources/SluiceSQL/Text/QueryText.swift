import Sluice

/// A query as written in a file.
struct QueryText: Sendable {
  /// The form of a query's result.
  enum Form: String, Hashable, Sendable, CaseIterable {
    /// All rows.
    case many
    /// The first row, which must exist.
    case one
    /// The first row, or nil.
    case optional
    /// Rows on demand.
    case stream
    /// The result, now and after each change.
    case live
    /// The number of changed rows.
    case changes
    /// No result.
    case nothing
  }

  /// A value with its byte offset in the file.
  struct Placed<Value: Sendable>: Sendable {
    let value: Value
    let offset: Int
  }

  let name: Placed<String>
  /// The forms of the result; empty if none is specified.
  let forms: [Placed<Form>]
  let parameters: [String: Placed<TypeText>]
  let columns: [String: Placed<TypeText>]
  let row: Placed<String>?
  /// Whether the query shares its row with other files.
  let sharesRow: Bool
  let warnsOfScans: Bool?
  /// The comment above the query.
  let documentation: [String]
  /// The statement, without a semicolon.
  let sql: String
  /// The byte offset of the statement.
  let offset: Int
  /// The tokens of the statement, with offsets from the beginning of the file.
  let tokens: [SQLToken]
}

extension QueryText {
  /// The names of the functions that are generated for the query.
  var functions: [String] {
    let forms = forms.map(\.value)
    let name = name.value
    return (forms == [.stream] ? [] : [name, name.behind("sync")])
      + (forms.contains(.stream) ? [name.behind("stream")] : [])
      + (forms.contains(.live) ? [name.behind("observe")] : [])
  }

  /// The default name of the struct for the query's rows.
  var ownRow: String { name.value.capitalizedFirst + "Row" }

  /// Returns the first function that another query also defines, and that query.
  func twin(in owners: [String: QueryText]) -> (function: String, query: QueryText)? {
    functions.lazy.compactMap { name in owners[name].map { (name, $0) } }.first
  }
}

extension String {
  /// Returns `word` followed by this name, as in `syncBooks`.
  func behind(_ word: String) -> String { word + capitalizedFirst }
}
