import Foundation

/// A file that was read, in a form that can be written to the index.
struct Document: Sendable {
  let file: FoundFile
  let content: Content

  enum Content: Sendable {
    /// The lines of a text file, without blank lines, which no search can find.
    case lines([Line])
    /// The reason why no lines of the file are indexed.
    case skipped(Reason)
  }

  struct Line: Sendable {
    /// The number of the line, counted from 1.
    let number: Int
    let text: String
  }

  /// A reason to skip a file.
  enum Reason: String, Sendable, CaseIterable {
    case binary = "not text"
    case large = "above 4 MB"
    case unreadable = "cannot be read"
  }
}

extension Document {
  /// The maximum size of a searchable file, in bytes; people rarely write larger files by hand.
  private static let largestSize = 4 << 20

  /// Reads `file`, which may have changed or been deleted since it was found.
  init(_ file: FoundFile, in place: Place) {
    self.file = file
    guard file.size <= Self.largestSize else {
      content = .skipped(.large)
      return
    }
    let url = URL(fileURLWithPath: place.folder).appending(path: file.path)
    // On Linux, Data(contentsOf:) leaks a page of memory for each empty file.
    guard let data = try? FileHandle(forReadingFrom: url).readToEnd() ?? Data() else {
      content = .skipped(.unreadable)
      return
    }
    guard data.count <= Self.largestSize else {
      content = .skipped(.large)
      return
    }
    // UTF-8 text rarely contains NUL, and almost every other file does.
    guard !data.contains(0), let text = String(data: data, encoding: .utf8) else {
      content = .skipped(.binary)
      return
    }
    content = .lines(Self.lines(of: text))
  }

  private static func lines(of text: String) -> [Line] {
    let newline = UInt8(ascii: "\n")
    // Split the text as bytes, because Swift treats a carriage return and a newline as one character.
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
  /// The lines to index.
  var lines: [Line] {
    if case .lines(let lines) = content { lines } else { [] }
  }

  /// The reason why the file was skipped; nil if its lines were read.
  var reason: Reason? {
    if case .skipped(let reason) = content { reason } else { nil }
  }
}
