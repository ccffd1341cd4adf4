import CTwins
import Foundation
import Sluice

/// Workload 2d: reads a time and a UUID, both stored as text.
///
/// C parses both in place with handwritten code, which supports only one date format. In Sluice, a date strategy
/// is a closure that accepts any value. Sluice therefore first creates a `String`, and then tries all formats
/// that SQLite supports. For this reason, the target is not lower.
struct Visits: Workload {
  let c: Twin
  private let connection: Connection

  init(count: Int) throws {
    connection = try Connection(sql: Sample.visits(count))
    c = try unsafe Twin(twin_visits, count: count, sql: Sample.visits(count))
  }

  func sluice() throws -> Int64 {
    var sum: Int64 = 0
    try connection.execute(sql: "SELECT day, person FROM visit") { row in
      let day = try row.get(.date(as: .sqlite), at: 0)
      let person = try row.get(.uuidString, at: 1).uuid
      sum &+= day.timeIntervalSinceReferenceDate.bits &+ Int64(person.0) &+ Int64(person.15)
    }
    return sum
  }
}
