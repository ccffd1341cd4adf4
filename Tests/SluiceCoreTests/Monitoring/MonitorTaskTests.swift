import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `monitors of awaited accesses` {
  private enum Request {
    @TaskLocal static var name: String?
  }

  private final class Traces: ConnectionMonitor {
    let statements = SharedLog<String?>()
    let accesses = SharedLog<String?>()

    func statementDidEnd(_ statement: StatementRecord) {
      if statement.sql == AwaitedStage.sql { statements.append(Request.name) }
    }

    func accessDidEnd(_ access: AccessRecord) { accesses.append(Request.name) }
  }

  @Test(arguments: AwaitedForm.allCases)
  func `a monitor reads the caller's task-local values in each form of access`(_ form: AwaitedForm)
    async throws
  {
    let traces = Traces()
    let stage = try await AwaitedStage(monitor: traces)
    try await Request.$name.withValue("mine") { try await stage.access(form) { _ in } }
    #expect(traces.statements.entries == ["mine"])
    #expect(traces.accesses.entries.contains("mine"))
  }

  @Test func `a monitor reads the caller's task-local values when the closure throws`() async throws
  {
    let traces = Traces()
    let stage = try await AwaitedStage(monitor: traces)
    await #expect(throws: ForeignError.self) {
      try await Request.$name.withValue("mine") {
        try await stage.access(.perform) { _ in throw ForeignError() }
      }
    }
    #expect(traces.accesses.entries.last == "mine")
  }
}
