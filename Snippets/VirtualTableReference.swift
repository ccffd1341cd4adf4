// The code samples in the documentation comments about virtual tables.

// snippet.hide
import Sluice

final class Files: VirtualTable {
  var schema: VirtualTableSchema { ["name", .column("size", type: "INTEGER"), .hidden("folder")] }

  func plan(_ query: borrowing VirtualTableQuery) -> VirtualTablePlan? {
    var plan = VirtualTablePlan(estimatedCost: 1_000)
    for constraint in query.constraints where constraint.isUsable {
      guard constraint.column == 0, constraint.operation == .equal else { continue }
      plan.use(constraint, isEnforced: true)
      plan.number = 1
      plan.estimatedCost = 1
      break
    }
    return plan
  }

  func cursor() -> Cursor { Cursor() }

  final class Cursor: VirtualTableCursor {
    private var names: [String] = []
    func filter(_ filter: borrowing VirtualTableFilter) throws {
      names = filter.number == 1 ? [try filter.arguments.get(at: 0)] : ["a", "b"]
    }
    func next() { names.removeFirst() }
    var isAtEnd: Bool { names.isEmpty }
    func column(_ index: Int) -> DatabaseValue { index == 0 ? .text(names[0]) : .null }
    var rowid: Int64 { Int64(-names.count) }
  }
}

final class CSVTable: VirtualTable {
  private let name: String
  var schema: VirtualTableSchema { [.column(name)] }
  init(_ arguments: VirtualTableArguments) throws {
    guard let name = arguments.value("filename") else {
      throw SQLiteError(.misuse, "csv takes a filename")
    }
    self.name = name
  }
  func cursor() -> Files.Cursor { Files.Cursor() }
}

let connection = try Connection()
try connection.addModule("files", as: .eponymousOnly) { _ in Files() }
let names = try connection.query(
  .column(.string), sql: "SELECT name FROM files WHERE name = 'b' UNION ALL SELECT name FROM files")
guard names == ["b", "a", "b"] else { fatalError("\(names)") }

try connection.addModule("csv") { try CSVTable($0) }
try connection.execute(sql: "CREATE VIRTUAL TABLE city USING csv(filename='city.csv')")
let cities = try connection.query(.column(.string), sql: "SELECT \"city.csv\" FROM city")
guard cities == ["a", "b"] else { fatalError("\(cities)") }

let match = matched(distance: 1, radius: 2)
guard match.score == 1 else { fatalError() }

func matched(distance: Double, radius: Double) -> RTreeMatch {
  distance <= radius ? .partlyInside.scored(distance) : .outside
}
