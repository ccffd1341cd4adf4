import SluiceCore

extension WireError {
  /// The effect of a request that failed.
  enum Effect {
    /// The request was not executed: another node must be asked.
    case none
    /// The request was not executed, because another client or the node itself is busy.
    case busy
    /// The request may have been executed, or may be executed later.
    case unknown
    /// The statement failed, as it would in a local database.
    case statement
  }

  var effect: Effect {
    switch self {
    case .unreachable: .none
    case .broken: .unknown
    case .failure(let code, let message):
      switch code {
      case 10250: .none
      case 12 where message.contains("no database opened"): .none
      case 7 where message.contains("no more rows available"): .none
      case 1 where message.contains("barrier"): .none
      case 10506, 778: .unknown
      case 5: .busy
      default: .statement
      }
    }
  }

  /// Whether the request can be sent again a little later, on the same connection.
  var isBusy: Bool { if case .busy = effect { true } else { false } }

  /// Whether a commit failed in such a way that the transaction is still open.
  var isRejection: Bool {
    switch effect {
    case .busy, .statement: true
    case .none, .unknown: false
    }
  }

  /// The error that SQLite has reported on the node.
  var sqliteError: SQLiteError {
    switch self {
    case .failure(let code, let message):
      SQLiteError(ResultCode(rawValue: Int32(truncatingIfNeeded: code)), message)
    case .unreachable(let reason), .broken(let reason): SQLiteError(.ioError, reason)
    }
  }
}
