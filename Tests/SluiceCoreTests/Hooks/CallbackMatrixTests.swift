import SluiceCore
import TestSupport
import Testing

/// Each callback, and what it does while SQLite calls it.
///
/// A callback that is new gets a row in `CallbackKind.all`.
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
  func `it ends in an error or works, and the connection goes on`(_ cell: Cell) throws {
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

/// What a callback does.
enum CallbackAct: CaseIterable {
  case throwing, refusing, asking, selecting, inserting, preparing, beginning, resettingOther,
    droppingOther
  case observing, closing, ending, replacing
}

/// A callback: how it is registered, and which SQL calls it.
struct CallbackKind: Sendable {
  let name: String
  /// What SQLite calls, or is called in the middle of a call of it; all else may close the connection.
  var isInCall = true
  /// What nothing can be done in.
  var isMidway = true
  var canThrow = true
  /// What changes are refused with; nil if they work.
  var replacing: ResultCode? = .misuse
  var ending: ResultCode?
  /// What single acts are refused with, whatever the above says of them.
  var exceptions: [CallbackAct: ResultCode?] = [:]
  var usesWAL = false
  var isBusy = false
  /// Runs when the callback is there, to make what calls it.
  var setUp = ""
  var sql = "INSERT INTO t VALUES (9)"
  /// Runs before the callback is ended, to drop what needs it.
  var cleanUp = ""
  /// Whether a statement calls the callback, and not a function of the library.
  var isCalledBySQL = true
  /// Calls the callback, where that takes more than `sql`: with a closure that is handed to a call, and does `act`.
  var run:
    @Sendable (Connection, _ sql: String, _ act: @escaping () throws -> Void) throws -> Void =
      { connection, sql, _ in try connection.execute(sql: sql) }
  /// Registers the callback, which does `act`, and returns what ends it.
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

  /// Of what is handed to the very call that calls it.
  static let nothingToRegister: Register = { _, _ in {} }

  static func token(_ token: HookToken) -> End { { token.cancel() } }
}
