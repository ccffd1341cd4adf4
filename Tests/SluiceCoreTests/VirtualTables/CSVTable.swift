import Foundation
import SluiceCore
import TestSupport

/// A virtual table that reads comma-separated values as RFC 4180 defines them.
///
/// Create it with `CREATE VIRTUAL TABLE t USING csv(filename='a.csv', header=yes)`, or with `data='a,b'`
/// instead of the file name. The fields of a header are the names of the columns. `columns=3` sets the number
/// of columns; by default, it is the number of fields in the header or, without a header, in the first record.
final class CSVTable: VirtualTable {
  let schema: VirtualTableSchema
  private let records: [CSV.Record]
  private let width: Int

  init(_ arguments: VirtualTableArguments) throws {
    for name in arguments.names where !["filename", "data", "header", "columns"].contains(name) {
      throw SQLiteError(.misuse, "csv knows no argument \(name)")
    }
    guard arguments.names.count == arguments.values.count else {
      throw SQLiteError(.misuse, "csv takes arguments of the form name=value")
    }
    var records = try CSV.records(of: Self.bytes(arguments))
    let header =
      try Self.flag(arguments.value("header")) && !records.isEmpty ? records.removeFirst() : nil
    let count = try arguments.value("columns").map { text in
      guard let count = Int(text), 1...999 ~= count else {
        throw SQLiteError(.range, "csv has 1 to 999 columns, not \(text)")
      }
      return count
    }
    width = count ?? header?.fields.count ?? records.first?.fields.count ?? 1
    for record in records where record.fields.count != width {
      throw SQLiteError(
        .mismatch,
        "line \(record.line): \(record.fields.count) fields instead of \(width)")
    }
    schema = VirtualTableSchema(
      (0..<width).map { index in
        let name = header.flatMap { index < $0.fields.count ? $0.fields[index] : nil }
        return .column(name ?? "c\(index)", type: "TEXT")
      })
    self.records = records
  }

  func cursor() -> ListCursor { ListCursor(records.map { $0.fields.map { .text($0) } }) }

  private static func bytes(_ arguments: VirtualTableArguments) throws -> [UInt8] {
    switch (arguments.value("filename"), arguments.value("data")) {
    case (let path?, nil):
      guard let data = FileManager.default.contents(atPath: path) else {
        throw SQLiteError(.cantOpen, "csv cannot read \(path)")
      }
      return Array(data)
    case (nil, let text?): return Array(text.utf8)
    default: throw SQLiteError(.misuse, "csv takes either filename or data")
    }
  }

  private static func flag(_ text: String?) throws -> Bool {
    switch text?.lowercased() {
    case nil, "no", "off", "false", "0": false
    case "yes", "on", "true", "1": true
    case let text?: throw SQLiteError(.misuse, "header is yes or no, not \(text)")
    }
  }
}

/// A parser that returns records with their line numbers, which start at one.
enum CSV {
  struct Record: Equatable {
    let line: Int
    var fields: [String] = []
  }

  static func records(of bytes: [UInt8]) throws -> [Record] {
    var reader = Reader(bytes: bytes[...])
    var records: [Record] = []
    while !reader.bytes.isEmpty { records.append(try reader.record()) }
    return records
  }

  private struct Reader {
    var bytes: ArraySlice<UInt8>
    var line = 1

    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")
    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    mutating func record() throws -> Record {
      var record = Record(line: line)
      while true {
        record.fields.append(try bytes.first == Self.quote ? quoted() : plain())
        if bytes.first == Self.comma {
          bytes.removeFirst()
          continue
        }
        try endLine()
        return record
      }
    }

    private mutating func endLine() throws {
      if bytes.first == Self.carriageReturn { bytes.removeFirst() }
      guard !bytes.isEmpty else { return }
      guard bytes.removeFirst() == Self.newline else {
        throw SQLiteError(.mismatch, "line \(line): text after a quoted field")
      }
      line += 1
    }

    private mutating func plain() throws -> String {
      let field = bytes.prefix {
        $0 != Self.comma && $0 != Self.newline && $0 != Self.carriageReturn
      }
      guard !field.contains(Self.quote) else {
        throw SQLiteError(.mismatch, "line \(line): a quote inside a field without quotes")
      }
      bytes = bytes.dropFirst(field.count)
      return try text(field)
    }

    private mutating func quoted() throws -> String {
      let start = line
      bytes.removeFirst()
      var field: [UInt8] = []
      while let byte = bytes.popFirst() {
        if byte == Self.newline { line += 1 }
        guard byte == Self.quote else {
          field.append(byte)
          continue
        }
        guard bytes.first == Self.quote else { return try text(field[...]) }
        bytes.removeFirst()
        field.append(byte)
      }
      throw SQLiteError(.mismatch, "line \(start): a quoted field has no end")
    }

    private func text(_ bytes: ArraySlice<UInt8>) throws -> String {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw SQLiteError(.mismatch, "line \(line): text that is not UTF-8")
      }
      return text
    }
  }
}
