/// A feature of connections whose data is in this process: one that C offers for a handle, and that SQL cannot express.
///
/// A connection whose data is in another database refuses all of them. An extension of `Connection` that passes the handle
/// to C begins with `requireLocal`.
enum LocalFeature {
  case backups, blobs, busyTimeout, cache, changesets, checkpoints, collations, encryptedCopies
  case functions, hooks, modules, serialization, sessions, snapshots

  /// The feature in an error message.
  var title: String {
    switch self {
    case .backups: "backups"
    case .blobs: "incremental access to blobs"
    case .busyTimeout: "busy timeout of its own"
    case .cache: "cache"
    case .changesets: "changesets"
    case .checkpoints: "checkpoints"
    case .collations: "collations in Swift"
    case .encryptedCopies: "encrypted copies"
    case .functions: "functions in Swift"
    case .hooks: "hooks"
    case .modules: "virtual tables in Swift"
    case .serialization: "serialized form"
    case .sessions: "sessions"
    case .snapshots: "snapshots"
    }
  }
}

extension Connection {
  /// Throws ``ResultCode/misuse`` if the data of the connection is in another database, which has no such feature.
  func requireLocal(_ feature: LocalFeature) throws {
    guard let translator else { return }
    throw SQLiteError(.misuse, "A connection of a \(translator.noun) has no \(feature.title)")
  }
}
