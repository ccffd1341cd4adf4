import Foundation
import Sluice

/// The differences between a folder and its index.
struct Changes: Sendable {
  /// The files that are new, or that changed after they were read.
  let changed: [FoundFile]
  /// The paths of indexed files that are no longer in the folder.
  let gone: [String]

  /// Returns the changed files in batches of at most `count`.
  func batches(of count: Int) -> [ArraySlice<FoundFile>] {
    stride(from: 0, to: changed.count, by: count).map { start in
      changed[start...].prefix(count)
    }
  }
}

extension CodeIndex {
  /// Compares the index with the files of the folder.
  ///
  /// The comparison runs in SQL, which distinguishes any two names. Swift strings with the same
  /// characters are equal even if their bytes differ, as the bytes of two file names can.
  func changes(comparedWith files: [FoundFile]) async throws -> Changes {
    try await writer.transaction { connection, command in
      // The rollback discards the temporary table, which only the comparison needs.
      command = .rollback
      try connection.execute(
        sql: """
          CREATE TEMP TABLE found(
            path TEXT PRIMARY KEY, size INTEGER NOT NULL, modified REAL NOT NULL
          ) STRICT, WITHOUT ROWID
          """)
      let add = try connection.prepare(sql: "INSERT INTO found VALUES (?, ?, ?)")
      for file in files {
        try add.bind(
          file.path, file.size, .timeIntervalSinceReferenceDate(file.modified)
        ).execute()
      }
      return Changes(
        changed: try connection.query(
          .foundFile,
          sql: """
            SELECT path, size, modified FROM found
            EXCEPT SELECT path, size, modified FROM file
            ORDER BY path COLLATE by_number
            """),
        gone: try connection.query(
          .column(.string),
          sql: "SELECT path FROM file EXCEPT SELECT path FROM found ORDER BY path COLLATE by_number"
        ))
    }.value
  }
}

extension RowConverter where Value == FoundFile {
  fileprivate static var foundFile: Self {
    Self { row in
      try FoundFile(
        path: row.get(.string, named: "path"), size: row.get(.int, named: "size"),
        modified: row.get(.timeIntervalSinceReferenceDate, named: "modified"))
    }
  }
}
