import SluiceCore
import TestSupport
import Testing

/// Each callback, combined with each action that it can perform while SQLite calls it.
///
/// A new callback needs an entry in `CallbackKind.all`.
@Suite(.tags(.reliability)) struct `callback matrix` {
  struct Cell: Sendable, CustomTestStringConvertible {
    let kind: CallbackKind
    let act: CallbackAct
    var testDescription: String { "\(kind.name) \(act)" }
  }

  static let cells = CallbackKind.all.flatMap { kind in
    CallbackAct.allCases.filter {
      (![.throwing, .refusing].contains($0) || kind.canThrow) && ($0 != .closing || kind.isInCall)
    }.map { Cell(kind: kind, act: $0) }
  }

  @Test(.timeLimit(.minutes(10)), arguments: cells)
  func `each action in a callback has its expected outcome, and the connection remains usable`(
    _ cell: Cell
  )
    throws
  {
    let stage = try CallbackFixture(cell.kind, cell.act)
    var error: (any Error)?
    do { try stage.run() } catch let thrown { error = thrown }
    #expect(stage.calls > 0)
    #expect(stage.outcome == cell.kind.outcome(of: cell.act))
    switch cell.act {
    case .throwing: #expect(error as? ForeignError == ForeignError("thrown"))
    case .refusing:
      let error = error as? SQLiteError
      #expect(error?.code == .permission)
      #expect(error?.message == "refused")
      #expect((error?.sql != nil) == cell.kind.isCalledBySQL)
    default: #expect(error == nil)
    }
    try stage.expectUsable()
  }
}

/// An action that a callback performs.
enum CallbackAct: CaseIterable {
  case throwing, refusing, asking, selecting, inserting, preparing, beginning, resettingOther,
    droppingOther
  case observing, closing, ending, replacing
}

/// A callback, with the code that registers it and the SQL that calls it.
struct CallbackKind: Sendable {
  let name: String
  /// Whether the callback runs during a call of SQLite; other callbacks may close the connection.
  var isInCall = true
  /// Whether running statements and adding observers in the callback throws misuse.
  var isMidway = true
  var canThrow = true
  /// The result code of replacing the callback while it runs, or nil if that succeeds.
  var replacing: ResultCode? = .misuse
  /// The result code of removing the callback while it runs, or nil if that succeeds.
  var ending: ResultCode?
  /// The result codes of single actions, which take precedence over the properties above.
  var exceptions: [CallbackAct: ResultCode?] = [:]
  var usesWAL = false
  var isBusy = false
  /// The SQL that runs after the registration, and creates the objects whose use calls the callback.
  var setUp = ""
  var sql = "INSERT INTO t VALUES (9)"
  /// The SQL that runs before the callback is removed, and drops the objects that depend on it.
  var cleanUp = ""
  /// Whether a statement calls the callback, rather than a function of the library.
  var isCalledBySQL = true
  /// Triggers the callback.
  ///
  /// The default executes `sql`. Kinds that pass a closure directly to a call replace this default, and call `act`
  /// in that closure.
  var run:
    @Sendable (Connection, _ sql: String, _ act: @escaping () throws -> Void) throws -> Void =
      { connection, sql, _ in try connection.execute(sql: sql) }
  /// Registers the callback, which calls `act`, and returns a closure that removes the callback.
  var register: Register

  typealias Register = @Sendable (Connection, _ act: @escaping () throws -> Void) throws -> End
  typealias End = () throws -> Void

  func outcome(of act: CallbackAct) -> ResultCode? {
    if let exception = exceptions[act] { return exception }
    return switch act {
    case .throwing, .refusing: .constraint
    case .asking, .droppingOther: nil
    case .closing: .misuse
    case .ending: ending
    case .replacing: replacing
    case .selecting, .inserting, .preparing, .beginning, .resettingOther, .observing:
      isMidway ? .misuse : nil
    }
  }

  /// Registers nothing, for callbacks that are passed directly to the call that invokes them.
  static let nothingToRegister: Register = { _, _ in {} }

  static func token(_ token: HookToken) -> End { { token.cancel() } }
}
