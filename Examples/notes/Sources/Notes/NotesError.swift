import Sluice

/// The reason why the service did not answer a request, in terms that a client understands.
public enum NotesError: Error, Hashable, Sendable {
  /// The request itself is wrong, for example because the title is empty.
  case invalid(String)
  /// There is no note with this ID.
  case notFound(Int)
  /// Another request has changed the note, or has used the title.
  case conflict(String)
  /// An operation did not finish before the deadline, and has changed nothing.
  ///
  /// Earlier operations of the same request remain committed.
  case timedOut
  /// The client has withdrawn the request, and the operation that was running has changed nothing.
  ///
  /// Earlier operations of the same request remain committed. An operation that has committed before the cancellation
  /// returns its result.
  case cancelled
  /// The database cannot be used at the moment; the same request can succeed later.
  ///
  /// After an I/O error, a commit may have succeeded, as the message says; the client should read before it tries again.
  case unavailable(String, retryAfter: Duration)
  /// The disk is full, so that reads succeed and writes fail.
  case outOfSpace
  /// The service is shutting down.
  case shuttingDown
  /// The service cannot answer until somebody repairs or replaces the database.
  case failed(String)
}

extension NotesError {
  /// The HTTP status code with the same meaning.
  public var status: Int {
    switch self {
    case .invalid: 400
    case .notFound: 404
    case .conflict: 409
    case .cancelled: 499
    case .failed: 500
    case .unavailable, .shuttingDown: 503
    case .timedOut: 504
    case .outOfSpace: 507
    }
  }

  /// Creates the answer to a request whose database access has thrown an error.
  public init(_ error: any Error) {
    switch error {
    case let error as NotesError: self = error
    case is CancellationError: self = .cancelled
    case is DeadlineError: self = .timedOut
    case let error as SQLiteError: self.init(error)
    default: self = .failed("\(error)")
    }
  }

  /// The message of a failed system call, after which a commit may be in the file.
  package static let unknownOutcome =
    "The database cannot be accessed, and a write may have succeeded, so read before you write again"

  private init(_ error: SQLiteError) {
    switch error.code {
    case .constraintUnique: self = .conflict("The notebook already has a note with this title")
    case .constraint: self = .invalid(error.message)
    case .tooBig: self = .invalid("The text is too long")
    case .busy, .locked:
      self = .unavailable("Another program is writing to the database", retryAfter: .seconds(1))
    case .full: self = .outOfSpace
    case .readOnly:
      self = .unavailable("The database is read-only", retryAfter: .seconds(60))
    case .cantOpen:
      self = .unavailable("The database file cannot be opened", retryAfter: .seconds(60))
    case .ioError:
      self = .unavailable(Self.unknownOutcome, retryAfter: .seconds(10))
    case .noMemory:
      self = .unavailable("The database cannot be accessed", retryAfter: .seconds(10))
    case .interrupt, .misuseClosed: self = .shuttingDown
    default: self = .failed(error.message)
    }
  }
}

extension NotesError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalid(let reason), .conflict(let reason), .failed(let reason): reason
    case .notFound(let id): "There is no note \(id)"
    case .timedOut: "The operation took too long, and has changed nothing"
    case .cancelled: "The operation was cancelled, and has changed nothing"
    case .unavailable(let reason, let delay):
      "\(reason); try again in \(delay.components.seconds) s"
    case .outOfSpace: "The disk is full"
    case .shuttingDown: "The service is shutting down"
    }
  }
}
