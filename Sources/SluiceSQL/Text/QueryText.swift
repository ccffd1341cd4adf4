import Sluice

/// A query as it stands in a file.
struct QueryText: Sendable {
  /// What a query is called for.
  enum Form: String, Hashable, Sendable, CaseIterable {
    /// All rows.
    case many
    /// The first row, which is there.
    case one
    /// The first row, or nil.
    case optional
    /// Rows as they are asked for.
    case stream
    /// What is found, now and after each change.
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
