import CTwins
import Foundation
import Sluice

/// Workload 7: reads blobs of 4 KiB as arrays.
///
/// C also copies the blobs.
struct BlobAsBytes: Workload {
  let c: Twin
  private let connection: Connection

  init(count: Int) throws {
    connection = try Connection(sql: Sample.photos(count))
    c = try unsafe Twin(twin_blob_copied, count: count, sql: Sample.photos(count))
  }

  func sluice() throws -> Int64 {
    var sum = 0
    try connection.execute(sql: "SELECT pixels FROM photo") { row in
      let pixels = try row.get(.bytes, at: 0)
      sum &+= pixels.count &+ Int(pixels[0]) &+ Int(pixels[pixels.count &- 1])
    }
    return Int64(sum)
  }
}

/// Workload 7: reads blobs of 4 KiB as `Data`.
///
/// C also copies the blobs.
struct BlobAsData: Workload {
  let c: Twin
  private let connection: Connection

  init(count: Int) throws {
    connection = try Connection(sql: Sample.photos(count))
    c = try unsafe Twin(twin_blob_copied, count: count, sql: Sample.photos(count))
  }

  func sluice() throws -> Int64 {
    var sum = 0
    try connection.execute(sql: "SELECT pixels FROM photo") { row in
      let data = try row.get(.data, at: 0)
      let pixels = data.span
      sum &+= pixels.count &+ Int(pixels[0]) &+ Int(pixels[pixels.count &- 1])
    }
    return Int64(sum)
  }
}

/// Workload 7: reads blobs of 4 KiB, borrowed from SQLite.
///
/// C also reads the blobs in place.
struct BlobLent: Workload {
  let c: Twin
  private let connection: Connection

  init(count: Int) throws {
    connection = try Connection(sql: Sample.photos(count))
    c = try unsafe Twin(twin_blob_in_place, count: count, sql: Sample.photos(count))
  }

  func sluice() throws -> Int64 {
    var sum = 0
    try connection.execute(sql: "SELECT pixels FROM photo") { row in
      try row.withBytes(at: 0) { pixels in
        sum &+= pixels.count &+ Int(pixels[0]) &+ Int(pixels[pixels.count &- 1])
      }
    }
    return Int64(sum)
  }
}
