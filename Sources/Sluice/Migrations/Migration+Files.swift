public import Foundation
public import SluiceCore

extension Migration {
  /// Returns the migrations in the `.sql` files of a folder, in the order of their numbers.
  ///
  /// ```swift
  /// let trim = Migration(3, "trim names") { connection in
  ///   try connection.execute("UPDATE person SET name = trim(name)")
  /// }
  /// let migrator = try Migrator(Migration.files(in: folder) + [trim])
  /// ```
  ///
  /// A file name begins with the number of the migration: `0001_create_person.sql`, `2 add age.sql` and `3.sql`
  /// are migrations 1, 2 and 3. The file `0001-0003_schema.sql` replaces the migrations 1 to 3. Files of other types,
  /// hidden files and folders are ignored. If the files are resources of a package, pass
  /// `Bundle.module.resourceURL`.
  ///
  /// A file must be UTF-8; a byte order mark at its beginning is ignored.
  ///
  /// - Throws: ``ResultCode/misuse`` for a `.sql` file that is not UTF-8 or whose name does not begin with a
  ///   number. Foundation's error for a file that cannot be read.
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
      // Files with the same number are rejected later; sort them by name for a stable order.
      (first.number ?? 0, first.name) < (second.number ?? 0, second.name)
    }
  }

  /// Creates a migration from a file whose name begins with the migration's number.
  ///
  /// See ``files(in:foreignKeys:)``.
  public init(file: URL, foreignKeys: ForeignKeys = .checked) throws {
    let fileName = file.lastPathComponent
    let stem = file.deletingPathExtension().lastPathComponent
    let digits = stem.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let number = Int(Substring(digits)) else {
      throw SQLiteError(
        .misuse, "The file name \(fileName) must begin with the number of a migration")
    }
    var rest = stem.dropFirst(digits.count)
    let last = Self.lastNumber(&rest, after: number) ?? number
    let name = rest.drop { "_- .".contains($0) }
    var bytes = try Data(contentsOf: file)[...]
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes = bytes.dropFirst(3) }
    guard let sql = String(validating: bytes, as: UTF8.self) else {
      throw SQLiteError(.misuse, "\(fileName) is not UTF-8")
    }
    self.init(
      number...last, String(name), foreignKeys, true, MigrationScript(sql, file: fileName), nil)
  }

  /// Removes the end of a range of numbers, such as `-0003`, from the beginning of `rest`, and returns it.
  private static func lastNumber(_ rest: inout Substring, after first: Int) -> Int? {
    guard rest.first == "-" else { return nil }
    let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
    let name = rest.dropFirst(1 + digits.count)
    guard let last = Int(digits), last > first, name.first.map({ "_- .".contains($0) }) ?? true
    else { return nil }
    rest = name
    return last
  }
}

extension Migrator {
  /// Creates a migrator from the `.sql` files of a folder, in the order of their numbers.
  ///
  /// ``Migration/files(in:foreignKeys:)`` describes the files, and
  /// ``init(_:adopting:userVersion:recordTable:preparing:)`` the parameters. In an adopted record, the migration
  /// `0001_create_person.sql` has the name `create_person`.
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
