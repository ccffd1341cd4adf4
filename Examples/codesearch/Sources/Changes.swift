import Foundation
import Sluice

/// The differences between a folder and its index.
struct Changes: Sendable {
  /// The files that are new, or that have changed since they were indexed.
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
  /// Compares the index with the files in the folder.
  ///
  /// The comparison runs in SQL, which distinguishes names with different bytes. Swift considers strings equal if
  /// their characters are equal, even if the bytes of the file names differ.
  func changes(comparedWith files: [FoundFile]) async throws -> Changes {
    try await writer.transaction { connection, command in
      // The temporary table is needed only for the comparison, so roll it back.
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
