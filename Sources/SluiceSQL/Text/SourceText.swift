import Sluice

/// The text of a file, in which places are found.
package struct SourceText: Sendable {
  /// The path that diagnostics give.
  package let path: String
  package let text: String

  package init(path: String, text: String) {
    self.path = path
    self.text = text
  }

  /// A part of it, in bytes.
  package subscript(range: Range<Int>) -> String {
    String(decoding: text.utf8.dropFirst(range.lowerBound).prefix(range.count), as: UTF8.self)
  }
}
