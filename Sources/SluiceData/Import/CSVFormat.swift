import SluiceCore

/// The dialect of a CSV file, for reading and writing.
///
/// ```swift
/// let format = CSVFormat(separator: ";", encoding: .windows1252)
/// ```
///
/// Fields are quoted as in RFC 4180: a quoted field can contain separators and line breaks, and a quote in it is
/// doubled. A reader also accepts files that deviate from RFC 4180:
///
/// - Lines end with CRLF, LF or CR, and the last line can lack its end.
/// - A byte order mark at the start is skipped.
/// - A quote inside a field that does not begin with a quote is an ordinary character, and so is text after the
///   closing quote.
/// - An empty line is skipped. In a file with one column, an empty line is a row with an empty field.
public struct CSVFormat: Hashable, Sendable {
  /// The character between fields: an ASCII character other than a quote or a line break.
  public var separator: Character
  /// Whether the first row contains the names of the columns.
  public var hasHeader: Bool
  /// The names of the columns, which replace the names in the header; nil for the names in the file.
  public var columnNames: [String]?
  /// The text of a field that is NULL, if the field has no quotes; nil if no field is NULL.
  ///
  /// By default, an empty field is NULL, and a quoted empty field is the empty text. A writer quotes text that
  /// would otherwise be NULL. If this property is nil, a writer throws for NULL.
  public var null: String?
  /// The encoding of the bytes that are read; a writer writes UTF-8.
  public var encoding: TextEncoding
  /// Whether a writer ends lines with CRLF, as RFC 4180 requires, instead of LF.
  public var writesCRLF: Bool
  /// Whether a writer begins with a byte order mark, by which Excel recognizes UTF-8.
  public var writesByteOrderMark: Bool

  /// The encoding of a text file.
  public enum TextEncoding: Hashable, Sendable {
    /// UTF-8; a row with invalid bytes is refused.
    case utf8
    /// Windows-1252, which contains the printable characters of Latin-1.
    case windows1252
  }

  /// Creates a format; without arguments, it is CSV with a header.
  public init(
    separator: Character = ",", hasHeader: Bool = true, columnNames: [String]? = nil,
    null: String? = "", encoding: TextEncoding = .utf8, writesCRLF: Bool = false,
    writesByteOrderMark: Bool = false
  ) {
    self.separator = separator
    self.hasHeader = hasHeader
    self.columnNames = columnNames
    self.null = null
    self.encoding = encoding
    self.writesCRLF = writesCRLF
    self.writesByteOrderMark = writesByteOrderMark
  }
}

extension CSVFormat {
  /// Comma-separated values with a header.
  public static let csv = CSVFormat()
  /// Tab-separated values with a header; fields are quoted as in CSV.
  public static let tsv = CSVFormat(separator: "\t")

  /// Returns the separator as a byte.
  func separatorByte() throws -> UInt8 {
    guard let byte = separator.asciiValue, separator != "\r\n",
      ![CSV.quote, CSV.lineFeed, CSV.carriageReturn].contains(byte)
    else {
      throw SQLiteError(
        .misuse,
        "The separator must be an ASCII character other than a quote or a line break (got \"\(separator)\")"
      )
    }
    return byte
  }
}

/// The bytes with a meaning in CSV.
enum CSV {
  static let quote = UInt8(ascii: "\"")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
}
