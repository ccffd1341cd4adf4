// Conformances to the protocols with which an app extends SQLite, none of which needs `nonisolated`.
import Sluice
import SluiceModels

final class Digits: VirtualTable {
  let schema: VirtualTableSchema = ["digit"]
  func cursor() -> Cursor { Cursor() }

  final class Cursor: VirtualTableCursor {
    private var digit = 0
    func filter(_ filter: borrowing VirtualTableFilter) { digit = 0 }
    func next() { digit += 1 }
    var isAtEnd: Bool { digit > 9 }
    func column(_ index: Int) -> DatabaseValue { .integer(Int64(digit)) }
    var rowid: Int64 { Int64(digit) }
  }
}

struct Spelling: FTS5TokenFilter {
  let base = ["unicode61"]

  func filter(
    _ token: FTS5Token, in text: Span<UInt8>, reason: FTS5TokenizeReason,
    into tokens: borrowing FTS5TokenSink
  ) throws {
    try tokens.add(token)
    if token.text == "colour", reason == .document {
      try tokens.add("color", at: token.range, isColocated: true)
    }
  }
}

struct Cipher: VirtualFileSystemShim {
  func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
    CipherFile(base: try base.open(request))
  }
}

struct CipherFile: VirtualFileShim {
  let base: any VirtualFile

  func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws -> Int {
    let count = try base.read(into: &bytes, at: offset)
    for index in 0..<count { bytes[index] ^= 0x5a }
    return count
  }

  func write(_ bytes: Span<UInt8>, at offset: Int64) throws {
    var hidden = ContiguousArray<UInt8>(repeating: 0, count: bytes.count)
    for index in bytes.indices { hidden[index] = bytes[index] ^ 0x5a }
    try base.write(hidden.span, at: offset)
  }
}

enum Shelf: Codable, ModelExamples {
  case lost
  case room(Int)
  static let modelExamples = (Shelf.lost, Shelf.room(1))
}

struct Copy: Codable, Model {
  static let table = ModelTable("copy", key: \Copy.id)
  var id: Int64?
  var shelf: Shelf
}

struct Place: SQLBindable {
  var name: String
  var sqlParameter: SQLParameter { name.sqlParameter }
}
