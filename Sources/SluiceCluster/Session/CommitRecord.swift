import SluiceCore

/// The record of a client's last commit, by which the client learns whether a commit took place whose answer was lost.
///
/// Each transaction that writes has a number, which it stores in the row of its client. While the row has the number, the
/// transaction was the last one to be committed.
enum CommitRecord {
  static let create = """
    CREATE TABLE IF NOT EXISTS sluice_commit(
      client BLOB PRIMARY KEY, number INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID
    """
  static let write = """
    INSERT INTO sluice_commit(client, number, at) VALUES (?1, ?2, unixepoch())
    ON CONFLICT (client) DO UPDATE SET number = excluded.number, at = excluded.at
    """
  static let read = "SELECT number FROM sluice_commit WHERE client = ?1"
  /// Deletes the records of clients that have not written for 30 days.
  static let prune = "DELETE FROM sluice_commit WHERE at < unixepoch() - 2592000"
  /// The message of a node on which the table does not exist.
  static let isMissing = "no such table: sluice_commit"
}
