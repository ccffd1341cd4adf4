import Foundation
import Sluice
import SluiceSQL

/// A folder with the `.sql` files of migrations.
struct MigrationFolder {
  /// The path as the user entered it.
  let path: String
  let migrations: [Migration]
  private let files: [String]

  static func isThere(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  /// Reads all migration files; throws if there are none.
  init(_ path: String) throws {
    guard Self.isThere(path) else { throw Failure("\(path) is not a folder") }
    var path = path
    do {
      var files = try FileManager.default.contentsOfDirectory(atPath: path)
      // The other commands take the folder that contains the folder of the migrations.
      if files.contains("Migrations"), !files.contains(where: { $0.hasSuffix(".sql") }) {
        path += path.hasSuffix("/") ? "Migrations" : "/Migrations"
        files = try FileManager.default.contentsOfDirectory(atPath: path)
      }
      self.path = path
      self.files = files
      migrations = try Migration.files(in: URL(filePath: path, directoryHint: .isDirectory))
    } catch let error as SQLiteError {
      throw Failure("\(path): \(error.message)")
    } catch {
      throw Failure("The migrations in \(path) cannot be read")
    }
    guard !migrations.isEmpty else { throw Failure("\(path) contains no migrations") }
  }

  /// Calls `body`, and converts an error in a migration file into a failure with its position.
  ///
  /// The names on the connection are suggested.
  func placing<T>(on connection: Connection? = nil, _ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as SQLiteError {
      guard let (place, subject, reason) = place(of: error.message) else { throw error }
      let hint = connection.map {
        MissingName.suggestion(for: reason, in: error.sql ?? "", on: $0)
      }
      throw Failure("\(subject): \(reason)\(hint ?? "")", at: place)
    }
  }

  /// Returns the position in a message such as `Migration 1 "a": 1_a.sql:3:5: no such table: b`.
  private func place(
    of message: String
  ) -> (place: Failure.Place, subject: Substring, reason: String)? {
    for file in files {
      guard let name = message.range(of: ": \(file):") else { continue }
      let parts = message[name.upperBound...].split(separator: ":", maxSplits: 2)
      guard parts.count == 3, let line = Int(parts[0]), let column = Int(parts[1]) else { continue }
      let file = path.hasSuffix("/") ? path + file : "\(path)/\(file)"
      let place = Failure.Place(file: file, line: line, column: column)
      return (place, message[..<name.lowerBound], String(parts[2].dropFirst()))
    }
    return nil
  }
}
