extension String {
  /// Returns the text enclosed in quotation marks, with each mark inside it doubled.
  ///
  /// The method compares Unicode scalars, as SQLite does, because Swift combines a mark with the combining
  /// characters that follow it into a single character.
  package func quoted(_ mark: Unicode.Scalar) -> String {
    guard unicodeScalars.contains(mark) else { return "\(mark)\(self)\(mark)" }
    var result = String.UnicodeScalarView([mark])
    for scalar in unicodeScalars {
      if scalar == mark { result.append(mark) }
      result.append(scalar)
    }
    result.append(mark)
    return String(result)
  }

  /// The text in quotes, so that SQLite always treats it as a name.
  package var quotedName: String { quoted("\"") }

  /// The string with ASCII letters in lower case, as SQLite compares names.
  package var withoutCase: String {
    guard utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return self }
    return String(
      decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}

extension Sequence<UInt8> {
  /// Returns whether SQLite considers both names the same.
  func isSameName(as other: some Sequence<UInt8>) -> Bool {
    elementsEqual(other) { first, second in
      first == second
        || (first ^ second == 0x20 && (0x61...0x7A).contains(first | 0x20))
    }
  }
}

/// Returns a canonical form of a name, which is equal for all names that SQLite considers the same.
///
/// Each byte of the name becomes one character, because Swift's comparison of text considers names equal that differ
/// in SQLite, such as "é" in one character and in two.
package func foldedName(_ name: String) -> String {
  String(String.UnicodeScalarView(name.withoutCase.utf8.map { Unicode.Scalar($0) }))
}

/// The names of the rowid in SQL, each of which can also be the name of a column.
package let rowidNames = ["rowid", "_rowid_", "oid"]

/// Returns a name of the rowid that none of these columns has; nil if there is none.
package func rowidName(besides columns: some Sequence<String>) -> String? {
  let taken = Set(columns.map(foldedName))
  return rowidNames.first { !taken.contains($0) }
}
