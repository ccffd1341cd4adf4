import CTwins
import Foundation
import Sluice

/// 2d: a time and a UUID, both stored as text.
///
/// C reads both by hand, in place, and knows of one form of dates only. A strategy of dates is a closure over any value,
/// so that Sluice makes a `String` first and reads all forms that SQLite has: that is why the target is not lower.
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
