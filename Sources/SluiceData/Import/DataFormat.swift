import Foundation
import SluiceCore

/// The format of a file that is imported or exported.
public enum DataFormat: Hashable, Sendable {
  /// Text with one row per line; ``csv`` and ``tsv`` are the common formats.
  case separated(CSVFormat)
  /// One JSON object per line.
  case jsonLines
  /// A JSON array of objects.
  case jsonArray

  /// Comma-separated values with a header.
  public static let csv = separated(.csv)
  /// Tab-separated values with a header.
  public static let tsv = separated(.tsv)

  /// Creates the format for the extension of a file name: `csv`, `tsv`, `tab`, `jsonl`, `ndjson` or `json`.
  ///
  /// - Returns: nil for another extension.
  public init?(fileExtension: String) {
    switch fileExtension.lowercased() {
    case "csv": self = .csv
    case "tsv", "tab": self = .tsv
    case "jsonl", "ndjson": self = .jsonLines
    case "json": self = .jsonArray
    default: return nil
    }
  }
}

extension DataFormat {
  /// Returns `format`, or the format for the extension of `url` if `format` is nil.
  static func chosen(_ format: DataFormat?, for url: URL) throws -> DataFormat {
    if let format { return format }
    guard let found = DataFormat(fileExtension: url.pathExtension) else {
      throw SQLiteError(
        .misuse,
        "The file extension \"\(url.pathExtension)\" is not csv, tsv, tab, jsonl, ndjson or json; "
          + "pass the format as `as:`")
    }
    return found
  }
}

/// The text that represents a blob in a file.
public enum BlobEncoding: Hashable, Sendable {
  /// Base64, as in RFC 4648, with padding.
  case base64
  /// Two hexadecimal digits per byte.
  case hexadecimal
}

extension BlobEncoding {
  /// Returns the text that represents `bytes`.
  func text(of bytes: [UInt8]) -> String {
    switch self {
    case .base64: Data(bytes).base64EncodedString()
    case .hexadecimal:
      String(
        decoding: bytes.flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]] },
        as: UTF8.self)
    }
  }

  /// Returns the bytes that `text` represents; nil if the text is not in this encoding.
  func bytes(of text: String) -> [UInt8]? {
    switch self {
    case .base64: return Data(base64Encoded: text).map { [UInt8]($0) }
    case .hexadecimal:
      let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
      guard digits.count.isMultiple(of: 2) else { return nil }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(digits.count / 2)
      for index in stride(from: 0, to: digits.count, by: 2) {
        guard let high = digits[index], let low = digits[index + 1] else { return nil }
        bytes.append(UInt8(high << 4 | low))
      }
      return bytes
    }
  }

  private static let digits = Array("0123456789abcdef".utf8)
}
