import Foundation
import TestSupport

/// The functions of SQLite, as C declares them and as the sources call them.
enum CFunctions {
  /// Returns the functions in the header that Sluice was compiled with.
  static func declared() throws -> Set<String> {
    let header = try String(contentsOf: header(), encoding: .utf8)
    let code = header.replacing(/\/\*(?s:.*?)\*\//, with: "")
    return Set(
      code.matches(of: /SQLITE_API[^;{]*?\b(sqlite3\w+)\s*\(/).map { String($0.1) })
  }

  /// Returns the location of the header, as the compiler recorded it.
  static func header() throws -> URL {
    let notes = Program.products.appending(path: "Allocations.build/Twin.c.d")
    let paths = try String(contentsOf: notes, encoding: .utf8).split { $0.isWhitespace }
    guard let path = paths.first(where: { $0.hasSuffix("/sqlite3.h") }) else {
      throw HeaderUnknown(notes: notes.path)
    }
    return URL(filePath: String(path))
  }

  struct HeaderUnknown: Error, CustomStringConvertible {
    let notes: String
    var description: String { "There is no sqlite3.h among what \(notes) says was compiled" }
  }

  /// Returns the words in the sources, without comments and mere declarations.
  ///
  /// The sources call the session functions by other names, which a macro creates.
  static func called() throws -> Set<String> {
    var words: Set<String> = []
    for file in files("Sources", ["swift", "c", "h"]) {
      // Most lines need no regular expression, which is slow in a debug build.
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      where line.contains("sqlite3") || line.contains("sluice_") {
        let line = line.trimmingCharacters(in: .whitespaces)
        guard !["/", "*", "extern ", "SLUICE_HAS("].contains(where: line.hasPrefix) else {
          continue
        }
        words.formUnion(line.matches(of: /\b(?:sqlite3|sluice_)\w+/).map { String($0.0) })
      }
    }
    return words
  }

  /// Returns the files of some kinds in a folder and its subfolders.
  static func files(_ folder: String, _ kinds: [String]) -> [URL] {
    let folder = DocumentationTests.root.appending(path: folder)
    let paths = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
    return paths.map { folder.appending(path: $0) }.filter { kinds.contains($0.pathExtension) }
  }
}
