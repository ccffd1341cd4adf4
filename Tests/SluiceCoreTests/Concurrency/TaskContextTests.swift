import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `the task context of an awaited access`
{
  private enum Request {
    @TaskLocal static var name = "nobody's"
  }

  @Test(arguments: AwaitedForm.allCases, [TaskPriority.high, .background])
  func `a closure can read the task-local values and the priority of its task`(
    _ form: AwaitedForm, _ priority: TaskPriority
  ) async throws {
    let stage = try await AwaitedStage()
    let (name, seen) = try await ownTask(priority: priority) {
      try await Request.$name.withValue("mine") {
        try await stage.access(form) { _ in (Request.name, Task.currentPriority) }
      }
    }
    #expect(name == "mine")
    #expect(seen == priority)
    #expect(try await stage.access(form) { _ in Request.name } == "nobody's")
  }

  @Test(arguments: AwaitedForm.allCases)
  func `a closure can detect the cancellation of its task and stop`(_ form: AwaitedForm)
    async throws
  {
    let stage = try await AwaitedStage()
    let begun = Gate()
    let seen = SharedLog<Bool>()
    let task = Task {
      try await stage.access(form) { _ in
        seen.append(Task.isCancelled)
        begun.open()
        let end = ContinuousClock.now + .seconds(patience)
        while ContinuousClock.now < end {
          do { try Task.checkCancellation() } catch {
            seen.append(Task.isCancelled)
            throw error
          }
        }
      }
    }
    #expect(await apart { begun.pass() })
    task.cancel()
    #expect(await failure(of: task) is CancellationError)
    #expect(seen.entries == [false, true])
    // The next access belongs to another task.
    #expect(try await stage.access(form) { _ in Task.isCancelled } == false)
  }

  @Test(arguments: AwaitedForm.allCases)
  func `an awaited access rethrows the error of its closure`(_ form: AwaitedForm) async throws {
    let stage = try await AwaitedStage()
    await #expect(throws: ForeignError("thrown")) {
      try await stage.access(form) { _ in throw ForeignError("thrown") }
    }
  }

  @Test func `each attempt of a retried transaction can read the task-local values`() async throws {
    let stage = try await AwaitedStage()
    let names = SharedLog<String>()
    try await Request.$name.withValue("mine") {
      _ = try await stage.queue.transaction(retries: 2) { _, _ in
        names.append(Request.name)
        if names.entries.count < 3 { throw SQLiteError(.busy, "not yet") }
      }
    }
    #expect(names.entries == ["mine", "mine", "mine"])
  }

  @Test @MainActor func `an access awaited on the main actor resumes on the main actor`()
    async throws
  {
    let stage = try await AwaitedStage()
    for form in AwaitedForm.allCases {
      let name = try await Request.$name.withValue("main") {
        try await stage.access(form) { _ in Request.name }
      }
      MainActor.assertIsolated()
      #expect(name == "main")
    }
  }

  @Test func `1,000 concurrent accesses each read their own task-local values`() async throws {
    let stage = try await AwaitedStage()
    let forms = AwaitedForm.allCases
    try await withThrowingTaskGroup(of: Bool.self) { tasks in
      for number in 0..<1_000 {
        tasks.addTask(priority: [.high, .medium, .low, .background][number % 4]) {
          let name = "task \(number)"
          return try await Request.$name.withValue(name) {
            try await stage.access(forms[number % forms.count]) { _ in Request.name == name }
          }
        }
      }
      var count = 0
      for try await isOwn in tasks where isOwn { count += 1 }
      #expect(count == 1_000)
    }
  }

  @Test func `accesses run in the order of their calls, regardless of priority`() async throws {
    let stage = try await AwaitedStage()
    let gate = Gate()
    let order = SharedLog<Int>()
    let begun = Gate()
    let first = Task {
      try await stage.pool.write { _ in
        begun.open()
        #expect(gate.pass())
      }
    }
    #expect(await apart { begun.pass() })
    let priorities: [TaskPriority] = [.background, .low, .medium, .high]
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<100 {
      tasks.append(
        Task.detached(executorPreference: Inline(), priority: priorities[number % 4]) {
          try await stage.pool.perform { _ in order.append(number) }
        })
    }
    #expect(stage.pool.status.waitingWriteCount == 100)
    gate.open()
    for task in tasks { try await task.value }
    try await first.value
    #expect(order.entries == Array(0..<100))
  }
}
