import Foundation

/// A file that has been read, ready to be written to the index.
struct Document: Sendable {
  let file: FoundFile
  let content: Content

  enum Content: Sendable {
    /// The lines of a text. Blank ones are left out, as nobody can search for them.
    case lines([Line])
    /// Why the file has no lines in the index.
    case skipped(Reason)
  }

  struct Line: Sendable {
    /// Counted from one.
    let number: Int
    let text: String
  }

  /// Why a file is not searched.
  enum Reason: String, Sendable, CaseIterable {
    case binary = "not text"
    case large = "above 4 MB"
    case unreadable = "cannot be read"
  }
}

extension Document {
  /// Files above this size, in bytes, are hardly ever written by hand.
  private static let largestSize = 4 << 20

  /// Reads `file`, which may have changed or vanished since it was found.
  init(_ file: FoundFile, in place: Place) {
    self.file = file
    guard file.size <= Self.largestSize else {
      content = .skipped(.large)
      return
    }
    let url = URL(fileURLWithPath: place.folder).appending(path: file.path)
    // With Data(contentsOf:), each empty file would cost a page for ever: Foundation leaks it on Linux.
    guard let data = try? FileHandle(forReadingFrom: url).readToEnd() ?? Data() else {
      content = .skipped(.unreadable)
      return
    }
    guard data.count <= Self.largestSize else {
      content = .skipped(.large)
      return
    }
    // Text in UTF-8 has no use for NUL, and nearly everything else has one soon.
    guard !data.contains(0), let text = String(data: data, encoding: .utf8) else {
      content = .skipped(.binary)
      return
    }
    content = .lines(Self.lines(of: text))
  }

  private static func lines(of text: String) -> [Line] {
    let newline = UInt8(ascii: "\n")
    // Bytes are split, not characters: to Swift, a carriage return and a newline are one of those.
    let lines = text.utf8.split(separator: newline, omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { index, line in
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      guard !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) else {
        return nil
      }
      return Line(number: index + 1, text: String(Substring(line)))
    }
  }
}

extension Document {
  /// The lines that go into the index.
  var lines: [Line] {
    if case .lines(let lines) = content { lines } else { [] }
  }

  /// Why there are none, if that is not the file's own doing.
  var reason: Reason? {
    if case .skipped(let reason) = content { reason } else { nil }
  }
}
