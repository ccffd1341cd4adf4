import Sluice

extension MisuseMatrix {
  /// Members of tables in Swift.
  static let tables: [Entry<Connection>] = [
    Entry("Connection.addModule(_:as:shadowNames:_:)", .works) {
      try $0.addModule("new") { _ in Empty() }
    },
    Entry("Connection.removeModule(_:)", .works) {
      try $0.addModule("new") { _ in Empty() }
      try $0.removeModule("new")
    },
    Entry("Connection.removeModules(keeping:)", .works) { try $0.removeModules() },
    Entry("Connection.addOverloadableFunction(_:arity:)", .works) {
      try $0.addOverloadableFunction("new", arity: 2)
    },
    Entry("Connection.addTableFunction(_:columns:parameters:options:_:)", .works) {
      try $0.addTableFunction("new", columns: ["a"]) { [1, 2] }
      return try $0.query(.values, sql: "SELECT a FROM new")
    },
    Entry("Connection.addTableFunction(_:columns:parameters:options:_:)", .works) {
      try $0.addTableFunction("new", columns: ["a", "b"]) { [(1, "x"), (2, "y")] }
      return try $0.query(.values, sql: "SELECT a, b FROM new")
    },
    Entry("Connection.addTableFunction(_:columns:parameters:options:_:)", .works) {
      try $0.addTableFunction("new", columns: ["a"]) { [[DatabaseValue.null]] }
      return try $0.query(.values, sql: "SELECT a FROM new")
    },
    Entry("Connection.addRTreeQuery(_:_:)", .works.needing(.rtree)) {
      try $0.addRTreeQuery("new") { _ in { _ in .inside } }
    },
    Entry("Connection.removeRTreeQuery(_:)", .works) { try $0.removeRTreeQuery("new") },
  ]

  private final class Empty: VirtualTable {
    let schema: VirtualTableSchema = ["a"]
    func cursor() -> Cursor { Cursor() }

    final class Cursor: VirtualTableCursor {
      func filter(_ filter: borrowing VirtualTableFilter) {}
      func next() {}
      var isAtEnd: Bool { true }
      func column(_ index: Int) -> DatabaseValue { .null }
      var rowid: Int64 { 0 }
    }
  }
}
