import Sluice

/// The text of a file, whose parts are found by their offsets.
package struct SourceText: Sendable {
  /// The path that diagnostics report.
  package let path: String
  package let text: String

  package init(path: String, text: String) {
    self.path = path
    self.text = text
  }

  /// The part of the text in a range of bytes.
  package subscript(range: Range<Int>) -> String {
    String(decoding: text.utf8.dropFirst(range.lowerBound).prefix(range.count), as: UTF8.self)
  }
}
