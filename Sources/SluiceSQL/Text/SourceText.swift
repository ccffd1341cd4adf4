import Sluice

/// The text of a file, with access by byte offsets.
package struct SourceText: Sendable {
  /// The path to report in diagnostics.
  package let path: String
  package let text: String

  package init(path: String, text: String) {
    self.path = path
    self.text = text
  }

  /// The part of the text in a range of byte offsets.
  package subscript(range: Range<Int>) -> String {
    String(decoding: text.utf8.dropFirst(range.lowerBound).prefix(range.count), as: UTF8.self)
  }
}
