import SluiceCore

/// A pull parser that splits chunks of bytes into the records of a CSV file.
///
/// The parser retains one chunk and one record. A chunk can end anywhere.
struct CSVParser {
  /// The bytes of all fields of the current record, without separators and quotes.
  private(set) var bytes: [UInt8] = []
  /// For each field, the offset in `bytes` at which it ends.
  private(set) var ends: [Int] = []
  /// For each field, whether it begins with a quote.
  private(set) var isQuoted: [Bool] = []
  /// The number of the line on which the current record begins, counted from 1.
  private(set) var line = 1
  private(set) var chunks: ByteChunks

  private let separator: UInt8
  private var chunk: [UInt8] = []
  private var position = 0
  /// The line of the next byte.
  private var nextLine = 1
  /// Whether a line feed at the position belongs to a line end whose carriage return was read already.
  private var skipsLineFeed = false

  /// The largest size of a record, which is also SQLite's largest size of a row.
  ///
  /// Without a limit, a quote that is never closed would move the rest of the file to memory.
  static let largestRecord = 1_000_000_000

  init(_ chunks: ByteChunks, separator: UInt8) {
    self.chunks = chunks
    self.separator = separator
  }

  private enum State {
    case fieldStart
    case unquoted
    case quoted
    /// After a quote in a quoted field, which ends the quoted text unless another quote follows.
    case quoteInQuoted
  }
}

extension CSVParser {
  /// The number of fields of the current record.
  var count: Int { ends.count }

  /// Whether the current record is an empty line.
  var isEmptyLine: Bool { ends.count == 1 && bytes.isEmpty && !isQuoted[0] }

  /// Returns the bytes of a field.
  func field(_ index: Int) -> ArraySlice<UInt8> {
    bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
  }

  /// Reads the next record, which can be an empty line, and returns whether there is one.
  mutating func advance() throws -> Bool {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    isQuoted.removeAll(keepingCapacity: true)
    var state = State.fieldStart
    line = nextLine
    while true {
      if position == chunk.count {
        guard let next = try chunks.next() else { return try finish(state) }
        (chunk, position) = (next, 0)
      }
      switch state {
      case .fieldStart:
        if takeLineFeed() { continue }
        let hasQuote = chunk[position] == CSV.quote
        isQuoted.append(hasQuote)
        if hasQuote { position += 1 }
        state = hasQuote ? .quoted : .unquoted
      case .unquoted:
        takeUnquoted()
        guard position < chunk.count else { break }
        let delimiter = chunk[position]
        position += 1
        ends.append(bytes.count)
        if delimiter != separator {
          skipsLineFeed = delimiter == CSV.carriageReturn
          nextLine += 1
          return true
        }
        state = .fieldStart
      case .quoted:
        takeQuoted()
        guard position < chunk.count else { break }
        position += 1
        state = .quoteInQuoted
      case .quoteInQuoted:
        skipsLineFeed = false
        guard chunk[position] == CSV.quote else {
          state = .unquoted
          continue
        }
        bytes.append(CSV.quote)
        position += 1
        state = .quoted
      }
      guard bytes.count <= Self.largestRecord else {
        throw SQLiteError(
          .tooBig,
          "Line \(line): the row is larger than \(Self.largestRecord) bytes; a quote may be missing"
        )
      }
    }
  }

  /// Ends the last record at the end of the data, and returns whether there is one.
  private mutating func finish(_ state: State) throws -> Bool {
    switch state {
    case .fieldStart where ends.isEmpty: return false
    case .fieldStart: isQuoted.append(false)
    case .unquoted, .quoteInQuoted: break
    case .quoted:
      throw SQLiteError(.mismatch, "Line \(line): a quote is not closed before the end of the data")
    }
    ends.append(bytes.count)
    return true
  }

  /// Skips the line feed of a CRLF, and returns whether there was one.
  private mutating func takeLineFeed() -> Bool {
    guard skipsLineFeed else { return false }
    skipsLineFeed = false
    guard chunk[position] == CSV.lineFeed else { return false }
    position += 1
    return true
  }

  /// Appends bytes up to a separator or line end.
  private mutating func takeUnquoted() {
    let bytes = chunk[...]
    append(upTo: Self.unquotedEnd(bytes.span, position, separator))
  }

  private static func unquotedEnd(
    _ bytes: Span<UInt8>, _ start: Int, _ separator: UInt8
  ) -> Int {
    var end = start
    while end < bytes.count {
      let byte = bytes[end]
      if byte == separator || byte == CSV.lineFeed || byte == CSV.carriageReturn { break }
      end += 1
    }
    return end
  }

  /// Appends bytes up to a quote, and counts their lines.
  private mutating func takeQuoted() {
    var (line, isAfterReturn) = (nextLine, skipsLineFeed)
    let bytes = chunk[...]
    append(upTo: Self.quotedEnd(bytes.span, position, &line, &isAfterReturn))
    (nextLine, skipsLineFeed) = (line, isAfterReturn)
  }

  private static func quotedEnd(
    _ bytes: Span<UInt8>, _ start: Int, _ line: inout Int, _ isAfterReturn: inout Bool
  ) -> Int {
    var end = start
    while end < bytes.count {
      let byte = bytes[end]
      if byte == CSV.quote { break }
      if byte == CSV.carriageReturn || byte == CSV.lineFeed && !isAfterReturn { line += 1 }
      isAfterReturn = byte == CSV.carriageReturn
      end += 1
    }
    return end
  }

  private mutating func append(upTo end: Int) {
    bytes.append(contentsOf: chunk[position..<end])
    position = end
  }
}
