import Foundation
import Sluice

/// The files of a checked folder, and the problems that are found before SQLite reads the files.
extension Project {
  static func files(in folder: URL) -> [URL] {
    // Treat a missing folder as empty.
    let files =
      (try? FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)) ?? []
    return files.filter { $0.pathExtension.lowercased() == "sql" }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
  }

  static func source(_ file: URL, _ diagnostics: inout [Diagnostic]) -> SourceText? {
    var bytes: Data
    do { bytes = try Data(contentsOf: file) } catch {
      diagnostics.append(Diagnostic("the file cannot be read", path: file.path))
      return nil
    }
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes = bytes.dropFirst(3) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      let valid = SourceText(
        path: file.path, text: String(decoding: bytes.validPrefix, as: UTF8.self))
      diagnostics.append(
        Diagnostic("the file is not UTF-8", at: valid.text.utf8.count, in: valid))
      return nil
    }
    return SourceText(path: file.path, text: text)
  }

  /// Returns diagnostics for files in subfolders, which are never read.
  static func deepFiles(in folder: URL, _ name: String) -> [Diagnostic] {
    // Treat a missing folder as empty.
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
    return paths.sorted().filter { path in
      let parts = path.split(separator: "/")
      return parts.count > 1 && path.lowercased().hasSuffix(".sql")
        && !parts.contains { $0.hasPrefix(".") }
    }.map {
      Diagnostic(
        "folders inside \(name) are ignored: move the file out of the folder",
        path: folder.appendingPathComponent($0).path)
    }
  }

  static func migration(_ file: URL, _ diagnostics: inout [Diagnostic]) -> MigrationFile? {
    guard let source = source(file, &diagnostics) else { return nil }
    do {
      let migration = try Migration(file: file)
      return MigrationFile(
        number: migration.number ?? 0, name: migration.name, source: source, migration: migration)
    } catch {
      let message = (error as? SQLiteError)?.message ?? "\(error)"
      diagnostics.append(Diagnostic(message, path: file.path))
      return nil
    }
  }

  static func migrations(
    in folder: URL, _ diagnostics: inout [Diagnostic]
  ) -> [MigrationFile] {
    let migrations = files(in: folder).compactMap { migration($0, &diagnostics) }
    diagnostics +=
      migrations.flatMap(\.diagnostics) + deepFiles(in: folder, folder.lastPathComponent)
    return migrations.sorted { ($0.number, $0.name) < ($1.number, $1.name) }
  }

  /// Returns the folders of attached databases, sorted by name.
  static func attached(
    in folder: URL, _ diagnostics: inout [Diagnostic]
  ) -> [AttachedFolder] {
    diagnostics += files(in: folder).map {
      Diagnostic(
        "the file must be in a folder with the schema name of the attached database",
        path: $0.path)
    }
    // Treat a missing folder as empty.
    let folders =
      (try? FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)) ?? []
    var attached: [AttachedFolder] = []
    let sorted = folders.sorted { $0.lastPathComponent < $1.lastPathComponent }
    for folder in sorted where !files(in: folder).isEmpty {
      let name = folder.lastPathComponent
      guard let found = AttachedFolder(name, folder, migrations(in: folder, &diagnostics)) else {
        diagnostics.append(
          Diagnostic(
            "\(name) cannot be the schema name of an attached database in generated code",
            path: folder.path))
        continue
      }
      attached.append(found)
    }
    return attached
  }
}

extension Data {
  /// The text before the first byte that is not valid UTF-8.
  fileprivate var validPrefix: Data {
    var parser = Unicode.UTF8.ForwardParser()
    var rest = makeIterator()
    var count = 0
    while case .valid(let scalar) = parser.parseScalar(from: &rest) { count += scalar.count }
    return prefix(count)
  }
}
