import Foundation
import Sluice
import SluiceData

/// The options that describe the format of imported or exported data.
struct DataOptions {
  let format: DataFormat
  let blobs: BlobEncoding

  static let format = Option(
    name: "--format", value: "FORMAT", kind: .words(["csv", "tsv", "jsonl", "json"]),
    help: "csv, tsv, jsonl (an object per line) or json (an array of objects). "
      + "By default, the extension of FILE selects the format.")
  static let separator = Option(
    name: "--separator", value: "CHAR", help: "The character between fields, such as ';'.")
  static let noHeader = Option(
    name: "--no-header", help: "The first row does not contain the names of the columns.")
  static let null = Option(
    name: "--null", value: "TEXT",
    help: "The text of a field that is NULL (default: an empty field without quotes).")
  static let hex = Option(
    name: "--hex", help: "Blobs are hexadecimal digits instead of Base64.")
  static let encoding = Option(
    name: "--encoding", value: "NAME", kind: .words(["utf-8", "windows-1252"]),
    help: "utf-8 (default) or windows-1252.")
  static let crlf = Option(name: "--crlf", help: "End lines with CRLF instead of LF.")
  static let mark = Option(
    name: "--bom", help: "Begin with a byte order mark, by which Excel recognizes UTF-8.")

  /// Reads the options; without `--format`, the file's extension or else `standard` is the format.
  init(_ arguments: Arguments, file: String?, standard: DataFormat?) throws {
    let chosen: DataFormat
    if let format = try arguments.meaning(of: Self.format, DataFormat.init(fileExtension:)) {
      chosen = format
    } else {
      let found = file.flatMap { DataFormat(fileExtension: URL(filePath: $0).pathExtension) }
      guard let format = found ?? standard else {
        throw arguments.usageError("The extension of FILE is unknown; pass --format")
      }
      chosen = format
    }
    blobs = arguments.has(Self.hex) ? .hexadecimal : .base64
    guard case .separated(var csv) = chosen else {
      let others = [
        Self.separator, Self.noHeader, Self.null, Self.encoding, Self.crlf, Self.mark,
      ]
      if let option = others.first(where: arguments.has) {
        throw arguments.usageError("\(option.name) does not apply to JSON")
      }
      format = chosen
      return
    }
    if let text = arguments.value(of: Self.separator) {
      guard text.count == 1, let byte = text.utf8.first, byte < 0x80, !"\"\r\n".contains(text)
      else {
        throw arguments.usageError(
          "--separator must be an ASCII character other than a quote or a line break (got \"\(text)\")"
        )
      }
      csv.separator = Character(text)
    }
    csv.hasHeader = !arguments.has(Self.noHeader)
    if let null = arguments.value(of: Self.null) { csv.null = null }
    csv.writesCRLF = arguments.has(Self.crlf)
    csv.writesByteOrderMark = arguments.has(Self.mark)
    let encodings: [String: CSVFormat.TextEncoding] = [
      "utf-8": .utf8, "windows-1252": .windows1252,
    ]
    let encoding = try arguments.meaning(of: Self.encoding) { encodings[$0.lowercased()] }
    if let encoding { csv.encoding = encoding }
    format = .separated(csv)
  }
}

extension DataOptions {
  /// Calls `body`, and reports errors in data files as they are, not as errors in the database file.
  static func naming<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as SQLiteError
      where [.cantOpen, .ioError].contains(error.code) && error.sql == nil
    {
      throw Failure(error.message)
    }
  }
}
