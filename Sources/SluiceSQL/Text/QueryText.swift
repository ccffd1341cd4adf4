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

  /// A part of the row as written in `@embed`: `author: Author?`.
  struct Embed: Sendable {
    /// The name of a table, or its alias, in `FROM`.
    let name: Placed<String>
    /// The struct; nil for the default.
    let type: Placed<TypeText>?
    /// Whether other files use the struct.
    let isShared: Bool
  }

  /// The rows of another query as written in `@children`: `books: booksOf(authors: id) by author`.
  struct Children: Sendable {
    /// The name of the property.
    let name: Placed<String>
    let query: Placed<String>
    /// The parameter of that query that receives the keys of all parents.
    let parameter: Placed<String>
    /// The column that contains the key of a parent.
    let key: Placed<String>
    /// The column of the children that contains the key of their parent.
    let childKey: Placed<String>
  }

  let name: Placed<String>
  /// The forms of the result; empty if none is specified.
  let forms: [Placed<Form>]
  let parameters: [String: Placed<TypeText>]
  let columns: [String: Placed<TypeText>]
  let row: Placed<String>?
  /// The structs in the row's struct, each with the columns of one table.
  let embeds: [Embed]
  /// The arrays in the row's struct, each with the rows of another query.
  let children: [Children]
  /// Whether the query shares the struct for its rows with other files.
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
      + (forms.contains(.live) ? [name.behind("observe"), name.behind("live")] : [])
  }

  /// The default name of the struct for the query's rows.
  var ownRow: String { name.value.capitalizedFirst + "Row" }

  /// The names of structs in the annotations.
  var structs: [Placed<String>] {
    (row.map { [$0] } ?? []) + embeds.map { Placed(value: $0.structName, offset: $0.place) }
  }

  /// The names of structs in the annotations that other files use.
  var sharedStructs: [String] {
    (sharesRow ? row.map { [$0.value] } ?? [] : [])
      + embeds.filter(\.isShared).map(\.structName)
  }

  /// Returns the first function that another query also defines, and that query.
  func twin(in owners: [String: QueryText]) -> (function: String, query: QueryText)? {
    functions.lazy.compactMap { name in owners[name].map { (name, $0) } }.first
  }
}

extension QueryText.Embed {
  /// The name of the property, which begins with a lowercase letter; nil if no valid name results.
  var label: String? {
    let name = name.value
    return (name.first?.isUppercase == true ? KeyStrategy.snakeCase.name(of: name) : name)
      .propertyLabel
  }

  /// The name of the struct.
  var structName: String {
    type?.value.name ?? (name.value.propertyLabel ?? name.value).capitalizedFirst
  }

  /// The offset of the struct's name, or of the name from which it follows.
  var place: Int { type?.offset ?? name.offset }
}

extension String {
  /// Returns `word` followed by this name, as in `syncBooks`.
  func behind(_ word: String) -> String { word + capitalizedFirst }
}
