public import Foundation
public import SluiceCore

extension Migration {
  /// The migrations in the `.sql` files of a folder, in the order of their numbers.
  ///
  /// ```swift
  /// let trim = Migration(3, "trim names") { connection in
  ///   try connection.execute("UPDATE person SET name = trim(name)")
  /// }
  /// let migrator = try Migrator(Migration.files(in: folder) + [trim])
  /// ```
  ///
  /// The name of a file begins with the number: `0001_create_person.sql`, `2 add age.sql` and `3.sql`
  /// are migrations 1, 2 and 3. A `.sql` file without a number is refused; files of other kinds,
  /// hidden files and folders do not count. Files that a package has as resources are found by
  /// `Bundle.module.resourceURL`.
  ///
  /// A file is UTF-8; a byte order mark at its beginning is left out. One that is not, or whose name
  /// has no number, throws ``ResultCode/misuse``; one that cannot be read throws what Foundation does.
  public static func files(in folder: URL, foreignKeys: ForeignKeys = .checked) throws
    -> [Migration]
  {
    try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: [.isDirectoryKey], options: .skipsHiddenFiles
    ).filter { file in
      try file.pathExtension.lowercased() == "sql"
        && file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory != true
    }.map { file in
      try Migration(file: file, foreignKeys: foreignKeys)
    }.sorted { first, second in
      // Of two with one number, which are refused, the order is still to be the same each time.
      (first.number ?? 0, first.name) < (second.number ?? 0, second.name)
    }
  }

  /// The migration in a file, whose name begins with its number; see ``files(in:foreignKeys:)``.
  public init(file: URL, foreignKeys: ForeignKeys = .checked) throws {
    let fileName = file.lastPathComponent
    let stem = file.deletingPathExtension().lastPathComponent
    let digits = stem.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let number = Int(Substring(digits)) else {
      throw SQLiteError(
        .misuse, "The name of \(fileName) does not begin with the number of a migration")
    }
    let name = stem.dropFirst(digits.count).drop { "_- .".contains($0) }
    var bytes = try Data(contentsOf: file)[...]
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes = bytes.dropFirst(3) }
    guard let sql = String(validating: bytes, as: UTF8.self) else {
      throw SQLiteError(.misuse, "\(fileName) is not UTF-8")
    }
    self.init(number, String(name), foreignKeys, MigrationScript(sql, file: fileName))
  }
}

extension Migrator {
  /// Takes the migrations in the `.sql` files of a folder, in the order of their numbers.
  ///
  /// See ``Migration/files(in:foreignKeys:)`` for the files, and
  /// ``init(_:adopting:userVersion:recordTable:preparing:)`` for the rest. The name that an adopted record has for
  /// the migration `0001_create_person.sql` is `create_person`.
  public init(
    folder: URL, adopting: AdoptedRecord? = nil, userVersion: UserVersion = .kept,
    recordTable: String = "sluice_migration",
    preparing: (@Sendable (_ copy: Connection) throws -> Void)? = nil
  ) throws {
    try self.init(
      Migration.files(in: folder), adopting: adopting, userVersion: userVersion,
      recordTable: recordTable, preparing: preparing)
  }
}
