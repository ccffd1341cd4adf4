import Foundation
import Sluice
import TestSupport

extension NumberMatrix {
  /// Members of a connection that copy databases, or read and write their parts.
  static let copies: [NumberEntry<Connection>] = [
    NumberEntry("Backup.step(pages:)", refusal: lessThanOne) {
      try Backup(of: $0, to: Connection()).step(pages: $1)
    },
    NumberEntry(
      "Connection.backup(to:database:as:pagesPerStep:busyLimit:progress:)", refusal: lessThanOne
    ) { try $0.backup(to: Connection(), pagesPerStep: $1) },
    NumberEntry(
      "Connection.backup(to:database:overwriting:pagesPerStep:busyLimit:progress:)",
      refusal: lessThanOne
    ) {
      let folder = try TestFolder()
      try $0.backup(to: folder.url.appending(path: "b.db").path, pagesPerStep: $1)
    },
    NumberEntry(
      "Connection.restore(from:database:pagesPerStep:busyLimit:progress:)", refusal: lessThanOne
    ) {
      let folder = try TestFolder()
      try $0.backup(to: folder.url.appending(path: "b.db"))
      try $0.restore(from: folder.url.appending(path: "b.db"), pagesPerStep: $1)
    },
    NumberEntry(
      "Connection.deserialize(_:database:readOnly:isResizable:sizeLimit:)",
      refusal: limit
    ) {
      let bytes = SQLiteLibrary.has(.serialization) ? try $0.serialize() : []
      try $0.deserialize(bytes, sizeLimit: $1)
    },
    NumberEntry(
      "Connection.openBlob(table:column:rowid:database:readOnly:)", refusal: error
    ) { try $0.openBlob(table: "t", column: "bytes", rowid: Int64($1)) },
    NumberEntry("Blob.reopen(at:)", refusal: error) {
      try blob($0).reopen(at: Int64($1))
    },
    NumberEntry("Blob.read(at:count:)") { try blob($0).read(at: $1) },
    NumberEntry("Blob.read(at:count:)") { try blob($0).read(at: 0, count: $1) },
    NumberEntry("Blob.read(into:at:)") {
      var bytes: ContiguousArray<UInt8> = [0]
      var span = bytes.mutableSpan
      try blob($0).read(into: &span, at: $1)
    },
    NumberEntry("Blob.forEachChunk(of:_:)", refusal: lessThanOne) {
      try blob($0).forEachChunk(of: $1) { _ in }
    },
    NumberEntry("Blob.write(_:at:)") { try blob($0).write([1], at: $1) },
    NumberEntry("Blob.write(chunks:at:)") { try blob($0).write(chunks: [[1]], at: $1) },
  ]

  private static let error: @Sendable (Int) -> ResultCode? = { _ in .error }

  /// The code that a size limit (in bytes) is expected to cause for a small database; nil if the database fits.
  private static let limit: @Sendable (Int) -> ResultCode? = { limit in
    guard SQLiteLibrary.has(.serialization) else { return .notFound }
    return limit < 1024 ? .tooBig : nil
  }

  private static func blob(_ connection: borrowing Connection) throws -> Blob {
    try connection.openBlob(table: "t", column: "bytes", rowid: 1, readOnly: false)
  }
}
