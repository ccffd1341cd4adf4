import CTwins
import Sluice

/// Workload 4j: reads an array of structs, each with an array of eight integers that is stored as JSON text.
///
/// C parses the integers with `strtoll`, because SQLite's `json_each` takes several times as long.
struct Parcels: Workload {
  let c: Twin
  private let connection: Connection

  private struct Parcel: Decodable {
    let id: Int64
    let label: String
    let sizes: [Int]
  }

  init(count: Int) throws {
    connection = try Connection(sql: Sample.parcels(count))
    c = try unsafe Twin(twin_parcels, count: count, sql: Sample.parcels(count))
  }

  func sluice() throws -> Int64 {
    let parcels = try connection.query(Parcel.self, sql: "SELECT id, label, sizes FROM parcel")
    return parcels.reduce(0) { sum, parcel in
      let sizes = parcel.sizes.reduce(0, &+)
      return sum &+ parcel.id &+ Int64(parcel.label.utf8.count) &+ Int64(sizes)
    }
  }
}
