import CTwins
import Sluice
import SluiceData

/// Workload 23: exports the rows of a table as comma-separated values.
///
/// C also searches each text for characters that need quotes, and writes reals with the same digits.
struct ExportRows: Workload {
  let c: Twin
  private let connection: Connection

  init(count: Int) throws {
    connection = try Connection(sql: Sample.rows(count))
    c = try unsafe Twin(twin_export, count: count, sql: Sample.rows(count))
  }

  func sluice() throws -> Int64 {
    var size: Int64 = 0
    try connection.exportRows(
      "SELECT id, value, label FROM sample", as: .separated(CSVFormat(hasHeader: false))
    ) { size += Int64($0.count) }
    return size
  }
}
