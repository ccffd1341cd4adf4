import Foundation
import Sluice

/// A folder of its own, which is removed with all it holds when nothing refers to it any more.
final class TestFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "sluice-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The names of what the folder holds, sorted.
  var content: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}

/// What `body` throws, or nil if it throws nothing or something else.
func failure<T: ~Copyable>(_ body: () throws -> T) -> SQLiteError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? SQLiteError
  }
}

extension Connection {
  /// The value of `SELECT ?` as `converter` reads it.
  func select<T>(_ converter: ColumnValueConverter<T>, _ parameter: SQLParameter) throws -> T? {
    try first(.column(converter), sql: "SELECT ?", parameters: parameter)
  }
}
