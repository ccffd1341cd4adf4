import CTwins
import Sluice

/// Workload 8t: calls a function that counts the common leading bytes of two texts, which it receives as strings.
struct TwoStringsFunction: Workload {
  let c: Twin
  private let connection: Connection

  init(count: Int) throws {
    connection = try Connection(sql: Sample.pairs(count))
    try connection.addFunction("common_prefix") { (first: String, second: String) in
      unsafe first.utf8.withContiguousStorageIfAvailable { first in
        unsafe second.utf8.withContiguousStorageIfAvailable { second in
          unsafe commonPrefix(of: first.span, second.span)
        }
      } ?? nil
    }
    c = try unsafe Twin(twin_two_texts_function, count: count, sql: Sample.pairs(count))
  }

  func sluice() throws -> Int64 {
    try connection.first(.column(.int64), sql: "SELECT sum(common_prefix(first, second)) FROM pair")
      ?? 0
  }
}

/// Workload 8t: calls a function that counts the common leading bytes of two texts, which it borrows.
struct TwoSpansFunction: Workload {
  let c: Twin
  private let connection: Connection

  init(count: Int) throws {
    connection = try Connection(sql: Sample.pairs(count))
    try connection.addFunction("common_prefix") { (first: Span<UInt8>, second: Span<UInt8>) in
      commonPrefix(of: first, second)
    }
    c = try unsafe Twin(twin_two_texts_function, count: count, sql: Sample.pairs(count))
  }

  func sluice() throws -> Int64 {
    try connection.first(.column(.int64), sql: "SELECT sum(common_prefix(first, second)) FROM pair")
      ?? 0
  }
}

/// Returns the number of leading bytes that two texts have in common.
private func commonPrefix(of first: Span<UInt8>, _ second: Span<UInt8>) -> Int {
  var length = 0
  while length < min(first.count, second.count), first[length] == second[length] { length += 1 }
  return length
}
