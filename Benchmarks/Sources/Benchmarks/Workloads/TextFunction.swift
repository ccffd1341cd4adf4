import CTwins
import Sluice

/// Workload 8b: calls a function from text to text.
struct TextFunction: Workload {
  let c: Twin
  private let connection: Connection

  init(count: Int) throws {
    connection = try Connection(sql: Sample.rows(count))
    try connection.addFunction("exclaim") { (text: String) in text + "!" }
    c = try unsafe Twin(twin_text_function, count: count, sql: Sample.rows(count))
  }

  func sluice() throws -> Int64 {
    try connection.first(.column(.int64), sql: "SELECT sum(length(exclaim(label))) FROM sample")
      ?? 0
  }
}
