import SluiceCore

/// A statement that the session has prepared: its local form, and the form that is sent to the leader.
struct SessionStatement {
  let statement: ClusterStatement
  let columnCount: Int
  /// A number that differs for other names of the columns.
  let columns: Int
  /// The local statement.
  let local: String
  /// The SQL for the leader.
  let sent: String
  /// Whether the statement may change the columns of other statements.
  let changesSchema: Bool
  /// Whether the statement is an INSERT, UPDATE or DELETE.
  let changesRows: Bool

  init(_ statement: ClusterStatement, columnNames: [String]) throws {
    self.statement = statement
    columnCount = columnNames.count
    columns = ClusterStatement.number(of: columnNames)
    local = try statement.localSQL(names: columnNames)
    sent = statement.kind == .write ? statement.text : statement.typed(names: columnNames)
    let first = SQLToken.tokens(of: statement.text).first
    let verbs: [StaticString] = ["create", "alter", "drop"]
    changesSchema = verbs.contains { first?.is($0) == true }
    let changing: [StaticString] = ["insert", "replace", "update", "delete", "with"]
    changesRows = changing.contains { first?.is($0) == true }
  }
}
