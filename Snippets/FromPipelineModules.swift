// Pipeline modules and their Sluice equivalents, and calls of the tables of the Pipeline guide.

// snippet.hide
import Foundation
import Sluice

let connection = try Connection()
// snippet.show
// CREATE VIRTUAL TABLE five USING numbers(count=5)
final class Numbers: VirtualTable {
  let schema: VirtualTableSchema = ["value"]
  private let count: Int64

  // Pipeline: init(arguments:create:)
  init(_ arguments: VirtualTableArguments) throws {
    guard let count = arguments.value("count").flatMap({ Int64($0) }) else {
      throw SQLiteError(.error, "The argument count is missing")
    }
    self.count = count
  }

  // Pipeline: bestIndex(_:)
  func plan(_ query: borrowing VirtualTableQuery) throws -> VirtualTablePlan? {
    var plan = VirtualTablePlan(number: 0, estimatedCost: 1_000)
    for constraint in query.constraints
    where constraint.isUsable && constraint.column == 0 {
      // .greater, .lessOrEqual, .like …
      guard constraint.operation == .equal else { continue }
      plan.use(constraint, isEnforced: true)  // the next of filter.arguments
      plan.number = 1
      plan.estimatedCost = 1
      break
    }
    plan.isOrdered =
      query.order.count == 1 && query.order[0].column == 0
      && !query.order[0].isDescending
    return plan
  }

  func cursor() -> Cursor { Cursor(count) }

  final class Cursor: VirtualTableCursor {
    private let count: Int64
    private var (value, last): (Int64, Int64) = (0, 0)
    init(_ count: Int64) { self.count = count }

    // Pipeline: filter(_:indexNumber:indexName:)
    func filter(_ filter: borrowing VirtualTableFilter) throws {
      (value, last) = (1, count)
      if filter.number == 1 {
        let wanted: Int64? = try filter.arguments.get(at: 0)
        value = max(1, wanted ?? count + 1)
        last = min(count, wanted ?? 0)
      }
    }
    func next() { value += 1 }
    var isAtEnd: Bool { value > last }  // Pipeline: eof
    func column(_ index: Int) -> DatabaseValue { .integer(value) }
    var rowid: Int64 { value }
  }
}
try connection.addModule("numbers") { arguments in try Numbers(arguments) }
try connection.execute("CREATE VIRTUAL TABLE five USING numbers(count=5)")
let two = try connection.query(
  .column(.int), "SELECT value FROM five WHERE value = \(2)")  // [2]
// snippet.hide
guard two == [2],
  try connection.query(.column(.int), "SELECT value FROM five ORDER BY value") == [1, 2, 3, 4, 5],
  try connection.query(.column(.int), "SELECT value FROM five WHERE value IN (7, 0, 3)") == [3],
  try connection.query(.column(.int), "SELECT value FROM five WHERE value > 3") == [4, 5],
  try connection.query(.column(.int), "SELECT value FROM five WHERE value = NULL").isEmpty
else { fatalError() }
do {
  try connection.execute("CREATE VIRTUAL TABLE none USING numbers")
  fatalError()
} catch SQLiteError.error {}
try rows(connection)
try hooks(connection)
try changes()
try blobs()

func rows(_ connection: Connection) throws {
  let statement = try connection.prepare(
    sql: "SELECT value AS number, value AS number FROM five WHERE value = :one")
  let names = statement.parameterNames
  guard let position = names.firstIndex(of: ":one") else { fatalError() }
  try statement.bind(1, toParameter: position + 1)
  try statement.forEachRow { row in
    let count = row.indices.count
    let columnNames = row.columnNames
    let values = try row.values().values
    guard count == 2, columnNames == ["number", "number"], values == [1, 1] else { fatalError() }
    for value in try row.values().values {
      guard value == .integer(1) else { fatalError() }
    }
  }
  // A local function that reads the row needs the type of the row.
  try statement.forEachRow { (row: borrowing Row) in
    func number(_ index: Int) throws -> Int { try row.get(.int, at: index) }
    guard try number(0) == 1 else { fatalError() }
  }
  let throwing: () throws -> Void = { throw SQLiteError(.error, "The argument count is missing") }
  do {
    try throwing()
  } catch let error as SQLiteError {
    guard error.code.primary == .error, error.code == .error, error.offset == nil,
      error.message == "The argument count is missing"
    else { fatalError() }
  }
  guard statement.columnCount == 2, try statement.index(named: "number") == 0 else {
    fatalError()
  }
  // Each step after the last row starts again, and so does each other use.
  try statement.reset()
  while let row = try statement.step() {
    guard try row.isNull(at: 0) == false else { fatalError() }
  }
  guard try statement.rows().count == 1 else { fatalError() }
  var numbers: [Int] = []
  let publisher = connection.rowPublisher(sql: "SELECT value FROM five").mapRows(.column(.int))
  publisher.sink { completion in
    if case .failure(let error) = completion { fatalError("\(error)") }
  } receiveValue: { number in
    numbers.append(number)
  }
  guard numbers == [1, 2, 3, 4, 5] else { fatalError() }
}

func hooks(_ connection: Connection) throws {
  try connection.execute(sql: "CREATE TABLE t(a)")
  var kinds: [RowChange.Operation] = []
  try connection.onPreUpdate { change in kinds.append(change.operation) }
  try connection.execute(sql: "INSERT INTO t VALUES (1); UPDATE t SET a = 2; DELETE FROM t")
  guard kinds == [.insert, .update, .delete] else { fatalError("\(kinds)") }
}

func changes() throws {
  guard SQLiteLibrary.has(.sessions) else { return }
  let recorded = try Connection()
  try recorded.attach(path: ":memory:", as: "aux")
  try recorded.execute("CREATE TABLE birds(kind PRIMARY KEY); CREATE TABLE other(a PRIMARY KEY)")
  let session = try recorded.session(tables: ["birds"])
  try recorded.execute("INSERT INTO birds VALUES ('robin'); INSERT INTO other VALUES (1)")
  guard try !session.isEmpty, try session.changeset().changes().map(\.table) == ["birds"] else {
    fatalError()
  }
  let changeset = try session.changeset()
  let other = try Connection()
  try other.execute("CREATE TABLE birds(kind PRIMARY KEY); INSERT INTO birds VALUES ('robin')")
  try other.apply(changeset) { conflict in
    conflict.canReplace ? .replace : .omit
  } filter: { table in
    table == "birds"
  }
  let group = try Changeset.Group()
  try group.add(changeset)
  guard try group.output().changes().count == 1 else { fatalError() }
}

func blobs() throws {
  let connection = try Connection()
  try connection.execute("CREATE TABLE film(id INTEGER PRIMARY KEY, data BLOB)")
  for _ in 1...2 {
    try connection.execute(
      sql: "INSERT INTO film(data) VALUES (?)", parameters: .zeroBlob(count: 16))
  }
  let blob = try connection.openBlob(table: "film", column: "data", rowid: 1, readOnly: false)
  try blob.write([1, 2, 3], at: 4)
  guard try blob.read(at: 4, count: 3) == [1, 2, 3], blob.count == 16 else { fatalError() }
  try blob.reopen(at: 2)
  guard try blob.read(at: 4, count: 3) == [0, 0, 0] else { fatalError() }
  try blob.close()
}
