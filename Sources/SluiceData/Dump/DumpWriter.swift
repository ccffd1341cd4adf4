import Foundation
import SluiceCore

/// The SQL of a dump, which is passed on in pieces.
struct DumpWriter {
  private var piece: [UInt8] = []
  /// The rows that were written, and the bytes that were passed on.
  private var state = DataProgress()
  private let receive: (_ piece: [UInt8]) throws -> Void
  private let progress: ((DataProgress) throws -> Void)?
  private let reals: RealLiterals
  /// Whether each piece consists of whole statements.
  private let passesStatements: Bool

  /// The least size of a piece, except the last one, in bytes.
  private static let pieceSize = 1 << 16
  /// The same for a piece of whole statements, which are executed in one transaction.
  private static let portionSize = 1 << 18

  init(
    _ reals: RealLiterals, passesStatements: Bool = false,
    progress: ((DataProgress) throws -> Void)?,
    _ pass: @escaping (_ piece: [UInt8]) throws -> Void
  ) {
    self.reals = reals
    self.passesStatements = passesStatements
    self.progress = progress
    receive = pass
    piece.reserveCapacity(2 * Self.pieceSize)
  }

  /// The number of bytes that were written.
  var byteCount: Int { state.byteCount + piece.count }

  mutating func write(_ text: String) { piece.append(contentsOf: text.utf8) }

  /// Counts a row that was written, and passes on the bytes if they fill a piece.
  mutating func endRow() throws {
    state.rowCount += 1
    try passOn()
  }

  /// Ends a statement, and passes on the bytes if pieces consist of statements and the bytes fill one.
  mutating func endStatement() throws {
    write(";\n")
    if passesStatements, piece.count >= Self.portionSize { try pass() }
  }

  /// Passes on the bytes that were written, if they fill a piece or if this is the end.
  mutating func passOn(isEnd: Bool = false) throws {
    if isEnd ? !piece.isEmpty : !passesStatements && piece.count >= Self.pieceSize { try pass() }
  }

  private mutating func pass() throws {
    try Task.checkCancellation()
    try receive(piece)
    state.byteCount += piece.count
    piece.removeAll(keepingCapacity: true)
    try progress?(state)
  }
}

// Values.
extension DumpWriter {
  mutating func write(_ value: Int64) { write(String(value)) }

  mutating func write(_ value: Double) throws { write(try reals.literal(of: value)) }

  /// Writes text, whose bytes in the encoding of the database are `raw`.
  mutating func write(text: Span<UInt8>, isPlain: Bool) throws {
    guard isPlain else { return try writeCast(text) }
    piece.append(UInt8(ascii: "'"))
    var start = 0
    while start < text.count {
      let end = min(start + Self.pieceSize, text.count)
      for index in start..<end {
        let byte = text[index]
        piece.append(byte)
        if byte == UInt8(ascii: "'") { piece.append(byte) }
      }
      start = end
      try passOn()
    }
    piece.append(UInt8(ascii: "'"))
  }

  /// Writes text as its bytes in the encoding of the database, which a literal cannot contain.
  mutating func writeCast(_ bytes: Span<UInt8>) throws {
    write("CAST(")
    try write(blob: bytes)
    write(" AS TEXT)")
  }

  mutating func write(blob: Span<UInt8>) throws {
    write("x'")
    var start = 0
    while start < blob.count {
      let end = min(start + Self.pieceSize / 2, blob.count)
      for index in start..<end {
        let byte = blob[index]
        piece.append(Self.digit(byte >> 4))
        piece.append(Self.digit(byte & 15))
      }
      start = end
      try passOn()
    }
    piece.append(UInt8(ascii: "'"))
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
  }
}
