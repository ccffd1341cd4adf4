// Generated from archive.sql, where changes belong.

import Foundation
import Sluice

/// A row of `removedSince`.
struct RemovedSinceRow: Sendable, Hashable, Codable {
  var title: String
  var removed: Date
}

extension RemovedSinceRow {
  /// Reads the columns by their places.
  static var converter: RowConverter<Self> {
    RowConverter { row in
      try Self(title: row.get(.string, at: 0), removed: row.get(.timeIntervalSince1970, at: 1))
    }
  }
}

private enum Statements {
  static let archiveBook = """
    INSERT INTO archive.removed_book(id, title, removed)
    SELECT id, title, :now FROM main.book WHERE id = :id
    """

  static let removedSince = """
    SELECT title, removed FROM archive.removed_book WHERE removed >= :time
    """

  static let allTitles = """
    SELECT id, title FROM book UNION ALL SELECT id, title FROM archive.removed_book ORDER BY id
    """
}

extension Connection {
  /// Keeps the title of a book that is going to be removed.
  ///
  /// ```sql
  /// INSERT INTO archive.removed_book(id, title, removed)
  /// SELECT id, title, :now FROM main.book WHERE id = :id
  /// ```
  @discardableResult
  func archiveBook(now: Date, id: Int) throws -> Int {
    try self.execute(sql: Statements.archiveBook, parameters: .timeIntervalSince1970(now), .int(id))
    return self.changes
  }

  /// All rows of the query `removedSince`.
  ///
  /// ```sql
  /// SELECT title, removed FROM archive.removed_book WHERE removed >= :time
  /// ```
  func removedSince(time: Date) throws -> [RemovedSinceRow] {
    try self.query(
      RemovedSinceRow.converter,
      sql: Statements.removedSince,
      parameters: .timeIntervalSince1970(time))
  }

  /// Books that are there, and those that are not there any more.
  ///
  /// ```sql
  /// SELECT id, title FROM book UNION ALL SELECT id, title FROM archive.removed_book ORDER BY id
  /// ```
  func allTitles() throws -> [NumberedTitle] {
    try self.query(NumberedTitle.converter, sql: Statements.allTitles)
  }
}

extension QueryReader {
  /// See `Connection.removedSince(time:)`; the task waits, no thread does.
  func removedSince(time: Date) async throws -> [RemovedSinceRow] {
    try await performReading { try $0.removedSince(time: time) }
  }

  /// See `Connection.removedSince(time:)`; the calling thread waits.
  @available(*, noasync, message: "Use removedSince, which does not block the thread")
  func syncRemovedSince(time: Date) throws -> [RemovedSinceRow] {
    try syncReading { try $0.removedSince(time: time) }
  }

  /// See `Connection.allTitles()`; the task waits, no thread does.
  func allTitles() async throws -> [NumberedTitle] {
    try await performReading { try $0.allTitles() }
  }

  /// See `Connection.allTitles()`; the calling thread waits.
  @available(*, noasync, message: "Use allTitles, which does not block the thread")
  func syncAllTitles() throws -> [NumberedTitle] {
    try syncReading { try $0.allTitles() }
  }
}

extension QueryWriter {
  /// See `Connection.archiveBook(now:id:)`; the task waits, no thread does.
  @discardableResult
  func archiveBook(now: Date, id: Int) async throws -> Int {
    try await performWriting { try $0.archiveBook(now: now, id: id) }
  }

  /// See `Connection.archiveBook(now:id:)`; the calling thread waits.
  @available(*, noasync, message: "Use archiveBook, which does not block the thread")
  @discardableResult
  func syncArchiveBook(now: Date, id: Int) throws -> Int {
    try syncWriting { try $0.archiveBook(now: now, id: id) }
  }
}

extension DatabaseReader {
  /// What `Connection.allTitles()` finds, now and after each commit that may have changed it.
  func observeAllTitles() -> ValuePublisher<[NumberedTitle]> {
    observe { try $0.allTitles() }
  }
}
