import Foundation
import Sluice
import SluiceExtras
import SluiceModels

extension MisuseMatrix {
  /// Members of the first row of the table of a ``MisuseFixture``.
  static let row: [Entry<Row>] = [
    Entry("Row.indices", .never) { $0.indices },
    Entry("Row.columnNames", .never) { $0.columnNames },
    Entry("Row.mismatch(at:_:)", .never) { $0.mismatch(at: 0, "is odd") },

    Entry("Row.index(named:)", .reads) { try $0.index(named: "id") },
    Entry("Row.storageClass(at:)", .reads) { try $0.storageClass(at: 0) },
    Entry("Row.isNull(at:)", .reads) { try $0.isNull(at: 0) },
    Entry("Row.value(at:)", .reads) { try $0.value(at: 0) },
    Entry("Row.value(named:)", .reads) { try $0.value(named: "id") },
    Entry("Row.values()", .reads) { try $0.values() },
    Entry("Row.decode(_:)", .reads) { try $0.decode(Int.self) },
    Entry("Row.decode(_:)", .reads) { try $0.decode(Named.self) },
    Entry("RowConvertible.init(row:)", .reads) { try Named?(row: $0) },
    Entry("RowDecoder.decode(_:from:)", .reads) { try RowDecoder().decode(Int.self, from: $0) },
    Entry("Row.get(_:at:)", .reads) { try $0.get(.int, at: 0) },
    Entry("Row.get(_:named:)", .reads) { try $0.get(.int, named: "id") },
    Entry("Row.optional(_:at:)", .reads) { try $0.optional(.int, at: 4) },
    Entry("Row.optional(_:named:)", .reads) { try $0.optional(.int, named: "missing") },
    Entry("Row.subscript(_:)", .reads) { try $0[0] as Int },
    Entry("Row.subscript(_:)", .reads) { try $0["id"] as Int },
    Entry("Row.subscript(dynamicMember:)", .reads) { try $0.id as Int },
    Entry("Row.subscript(_:)", .reads) { print(try $0[0]) },
    Entry("Row.subscript(_:)", .reads) { print(try $0["id"]) },
    Entry("Row.subscript(dynamicMember:)", .reads) { print(try $0.id) },
    Entry("Row.integer(at:)", .reads) { try $0.integer(at: 1) },
    Entry("Row.integer(named:)", .reads) { try $0.integer(named: "name") },
    Entry("Row.real(at:)", .reads) { try $0.real(at: 1) },
    Entry("Row.real(named:)", .reads) { try $0.real(named: "name") },
    Entry("Row.text(at:)", .reads) { try $0.text(at: 0) },
    Entry("Row.text(named:)", .reads) { try $0.text(named: "id") },
    Entry("Row.blob(at:)", .reads) { try $0.blob(at: 0) },
    Entry("Row.blob(named:)", .reads) { try $0.blob(named: "id") },
    Entry("Row.withUTF8(at:_:)", .reads) { try $0.withUTF8(at: 1) { $0.count } },
    Entry("Row.withUTF8(named:_:)", .reads) { try $0.withUTF8(named: "name") { $0.count } },
    Entry("Row.withBytes(at:_:)", .reads) { try $0.withBytes(at: 2) { $0.count } },
    Entry("Row.withBytes(named:_:)", .reads) { try $0.withBytes(named: "bytes") { $0.count } },

    Entry("ColumnValueConverter.init(_:)", .reads) {
      try $0.get(ColumnValueConverter { row, index in try row.value(at: index) }, at: 0)
    },
    Entry("ColumnValueConverter.optional(_:)", .reads) { try $0.get(.optional(.int), at: 4) },
    Entry("ColumnValueConverter.default", .reads) {
      try $0.get(ColumnValueConverter<Int>.default, at: 0)
    },
    Entry("ColumnValueConverter.value", .reads) { try $0.get(.value, at: 0) },
    Entry("ColumnValueConverter.int", .reads) { try $0.get(.int, at: 0) },
    Entry("ColumnValueConverter.int8", .reads) { try $0.get(.int8, at: 0) },
    Entry("ColumnValueConverter.int16", .reads) { try $0.get(.int16, at: 0) },
    Entry("ColumnValueConverter.int32", .reads) { try $0.get(.int32, at: 0) },
    Entry("ColumnValueConverter.int64", .reads) { try $0.get(.int64, at: 0) },
    Entry("ColumnValueConverter.uint", .reads) { try $0.get(.uint, at: 0) },
    Entry("ColumnValueConverter.uint8", .reads) { try $0.get(.uint8, at: 0) },
    Entry("ColumnValueConverter.uint16", .reads) { try $0.get(.uint16, at: 0) },
    Entry("ColumnValueConverter.uint32", .reads) { try $0.get(.uint32, at: 0) },
    Entry("ColumnValueConverter.uint64", .reads) { try $0.get(.uint64, at: 0) },
    Entry("ColumnValueConverter.uint64BitPattern", .reads) { try $0.get(.uint64BitPattern, at: 0) },
    Entry("ColumnValueConverter.bool", .reads) { try $0.get(.bool, at: 0) },
    Entry("ColumnValueConverter.float", .reads) { try $0.get(.float, at: 0) },
    Entry("ColumnValueConverter.double", .reads) { try $0.get(.double, at: 0) },
    Entry("ColumnValueConverter.string", .reads) { try $0.get(.string, at: 0) },
    Entry("ColumnValueConverter.bytes", .reads) { try $0.get(.bytes, at: 2) },
    Entry("ColumnValueConverter.floats", .reads) { try $0.get(.floats, named: "uuid_bytes") },
    Entry("ColumnValueConverter.data", .reads) { try $0.get(.data, at: 2) },
    Entry("ColumnValueConverter.decimal", .reads) { try $0.get(.decimal, at: 0) },
    Entry("ColumnValueConverter.number", .reads) { try $0.get(.number, at: 0) },
    Entry("ColumnValueConverter.json(_:decoder:)", .reads) {
      try $0.get(.json([Int].self), named: "json")
    },
    Entry("ColumnValueConverter.propertyList(_:)", .reads) {
      try $0.get(.propertyList([Int].self), named: "list")
    },
    Entry("ColumnValueConverter.keyedArchive(of:containing:)", .reads) {
      try $0.get(.keyedArchive(of: NSString.self), named: "archive")
    },
    Entry("ColumnValueConverter.timeIntervalSince1970", .reads) {
      try $0.get(.timeIntervalSince1970, at: 3)
    },
    Entry("ColumnValueConverter.timeIntervalSinceReferenceDate", .reads) {
      try $0.get(.timeIntervalSinceReferenceDate, at: 3)
    },
    Entry("ColumnValueConverter.iso8601", .reads) { try $0.get(.iso8601, named: "date") },
    Entry("ColumnValueConverter.date(as:)", .reads) {
      try $0.get(.date(as: .iso8601), named: "date")
    },
    Entry("ColumnValueConverter.urlString", .reads) { try $0.get(.urlString, named: "name") },
    Entry("ColumnValueConverter.uuidString", .reads) { try $0.get(.uuidString, named: "uuid") },
    Entry("ColumnValueConverter.uuidBytes", .reads) {
      try $0.get(.uuidBytes, named: "uuid_bytes")
    },
  ]
}

private struct Named: Codable, Model {
  static let table = ModelTable("t", key: \Named.id)
  var id: Int64?
  var name: String
}
