import SluiceCore

/// A table with constant rows.
final class ListTable: VirtualTable {
  let schema: VirtualTableSchema
  let options: VirtualTableOptions
  private let rows: [[DatabaseValue]]

  init(
    _ schema: VirtualTableSchema, _ rows: [[DatabaseValue]], options: VirtualTableOptions = []
  ) {
    self.schema = schema
    self.rows = rows
    self.options = options
  }

  func cursor() -> ListCursor { ListCursor(rows) }
}

/// A cursor over an array of rows, which ignores plans.
final class ListCursor: VirtualTableCursor {
  var rows: [[DatabaseValue]]
  private var position = 0

  init(_ rows: [[DatabaseValue]]) { self.rows = rows }

  func filter(_ filter: borrowing VirtualTableFilter) { position = 0 }
  func next() { position += 1 }
  var isAtEnd: Bool { position >= rows.count }
  func column(_ index: Int) -> DatabaseValue { rows[position][index] }
  var rowid: Int64 { Int64(position) + 1 }
}
