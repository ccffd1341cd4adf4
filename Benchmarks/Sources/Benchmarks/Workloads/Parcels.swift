import CTwins
import Sluice

/// 4j: an array of structs that have an array of eight integers, which is stored as the text of its JSON.
///
/// C reads those by hand, by `strtoll`: to have SQLite's `json_each` do it takes several times as long.
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
