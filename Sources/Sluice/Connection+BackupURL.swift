public import Foundation
public import SluiceCore

extension Connection {
  /// Copies a database to the file at `url`.
  ///
  /// Throws ``ResultCode/cantOpen`` for a URL that is not a file URL, or that has a query. In all other respects,
  /// this method behaves like
  /// ``Connection/backup(to:database:overwriting:pagesPerStep:busyLimit:progress:)-(String,_,_,_,_,_)``.
  public func backup(
    to url: URL, database: String = "main", overwriting: Bool = false,
    pagesPerStep: Int? = nil, busyLimit: Duration = .zero,
    progress: ((_ remainingPages: Int, _ pageCount: Int) throws -> Void)? = nil
  ) throws {
    try backup(
      to: url.plainPath(), database: database, overwriting: overwriting,
      pagesPerStep: pagesPerStep, busyLimit: busyLimit, progress: progress)
  }

  /// Replaces the content of a database with the content of the file at `url`.
  ///
  /// Throws ``ResultCode/cantOpen`` for a URL that is not a file URL, or that has a query. In all other respects,
  /// this method behaves like ``Connection/restore(from:database:pagesPerStep:busyLimit:progress:)-(String,_,_,_,_)``.
  public func restore(
    from url: URL, database: String = "main", pagesPerStep: Int? = nil,
    busyLimit: Duration = .zero,
    progress: ((_ remainingPages: Int, _ pageCount: Int) throws -> Void)? = nil
  ) throws {
    try restore(
      from: url.plainPath(), database: database, pagesPerStep: pagesPerStep, busyLimit: busyLimit,
      progress: progress)
  }

  /// Writes a compact copy of a database to a new file at `url`.
  ///
  /// Throws ``ResultCode/cantOpen`` for a URL that is not a file URL, or that has a query. In all other respects,
  /// this method behaves like ``Connection/vacuum(into:database:)-(String,_)``.
  public func vacuum(into url: URL, database: String = "main") throws {
    try vacuum(into: url.plainPath(), database: database)
  }

  /// Exports a database to a new file at `url` with a different encryption key, or without encryption.
  ///
  /// Throws ``ResultCode/cantOpen`` for a URL that is not a file URL, or that has a query. In all other respects,
  /// this method behaves like ``Connection/export(to:encryptionKey:database:)-(String,_,_)``.
  public func export(
    to url: URL, encryptionKey: EncryptionKey?, database: String = "main"
  ) throws {
    try export(to: url.plainPath(), encryptionKey: encryptionKey, database: database)
  }
}

extension DatabaseReader {
  /// Copies this database to a new file at `url` without blocking a thread.
  ///
  /// Throws ``ResultCode/cantOpen`` for a URL that is not a file URL, or that has a query.
  public func backup(
    to url: URL, overwriting: Bool = false, pagesPerStep: Int? = nil,
    progress: (@Sendable (_ remainingPages: Int, _ pageCount: Int) throws -> Void)? = nil
  ) async throws {
    try await backup(
      to: url.plainPath(), overwriting: overwriting, pagesPerStep: pagesPerStep, progress: progress)
  }

  /// Copies this database to a new file at `url` on the calling thread.
  ///
  /// Throws ``ResultCode/cantOpen`` for a URL that is not a file URL, or that has a query.
  @available(*, noasync, message: "Use backup, which does not block the thread")
  public func syncBackup(
    to url: URL, overwriting: Bool = false, pagesPerStep: Int? = nil,
    progress: (@Sendable (_ remainingPages: Int, _ pageCount: Int) throws -> Void)? = nil
  ) throws {
    try syncBackup(
      to: url.plainPath(), overwriting: overwriting, pagesPerStep: pagesPerStep, progress: progress)
  }
}

extension URL {
  /// Returns the path of a file URL; throws if the URL has a query.
  fileprivate func plainPath() throws -> String {
    guard isFileURL, query == nil else {
      throw SQLiteError(
        .cantOpen, "The URL must be a file URL without a query (got \(absoluteString))")
    }
    return absoluteURL.path(percentEncoded: false)
  }
}
