import CTwins
import SluiceModels

/// Workload 24: writes and reads models whose keys SQLite assigns.
struct Models: Workload {
  enum Form { case insert, insertAll, update, fetchByKey, fetchAll }

  struct Person: Codable, Model {
    static let table = ModelTable("person", key: \Person.id)
    var id: Int64?
    var name = "hello sluice"
    var count: Int
    var score: Double
    var note: String?

    init(_ number: Int, id: Int64? = nil) {
      self.id = id
      count = number
      score = Double(number) * 0.5
    }

    var checksum: Int64 { (id ?? 0) &+ Int64(count) &+ score.bits &+ Int64(name.utf8.count) }
  }

  let c: Twin
  private let connection: Connection
  private let count: Int
  private let form: Form

  init(count: Int, _ form: Form) throws {
    self.count = count
    self.form = form
    let twin: Twin.Function =
      switch form {
      case .insert, .insertAll: unsafe twin_models_inserted
      case .update: unsafe twin_models_updated
      case .fetchByKey: unsafe twin_model_by_key
      case .fetchAll: unsafe twin_all_models
      }
    let rows = """
      CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, count INTEGER, score REAL, note TEXT);
      WITH RECURSIVE number(value) AS (
        SELECT 1 UNION ALL SELECT value + 1 FROM number WHERE value < \(count))
      INSERT INTO person(name, count, score) SELECT 'hello sluice', value, value * 0.25 FROM number;
      """
    connection = try Connection(sql: rows)
    c = try unsafe Twin(twin, count: count, sql: rows)
    try reset()
  }

  func sluice() throws -> Int64 {
    var sum: Int64 = 0
    switch form {
    case .insert:
      try connection.transaction { connection in
        for number in 1...count { sum &+= try connection.insert(Person(number)).id ?? 0 }
      }
    case .insertAll:
      let people = try connection.insert((1...count).map { Person($0) })
      for person in people { sum &+= person.id ?? 0 }
    case .update:
      try connection.transaction { connection in
        for number in 1...count {
          sum &+= Int64(try connection.update(Person(number, id: Int64(number))))
        }
      }
    case .fetchByKey:
      for i in 0..<count {
        let key = Int64(i &* 7919 % count &+ 1)
        sum &+= try connection.fetch(Person.self, key: key)?.checksum ?? 0
      }
    case .fetchAll:
      for person in try connection.fetch(Person.all) { sum &+= person.checksum }
    }
    return sum
  }

  func check(_ side: Side) throws -> Int64 {
    switch side {
    case .c: try unsafe c.run(twin_models_written)
    case .sluice:
      try connection.first(
        .column(.int64),
        sql: "SELECT sum(id * length(name) + count + score * 2) + count(note) FROM person") ?? 0
    }
  }

  func reset() throws {
    guard form == .insert || form == .insertAll else { return }
    try connection.deleteAll(Person.self)
    try c.execute(sql: "DELETE FROM person")
  }
}
