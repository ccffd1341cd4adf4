import Dispatch
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `fair access to the readers of a pool`
{
  private let folder: TestFolder
  private let pool: ConnectionPool

  init() throws {
    folder = try TestFolder()
    pool = try ConnectionPool(path: folder.file(), readers: 1)
  }

  @Test func `a waiting thread can read although another thread reads repeatedly`() async throws {
    let (pool, served, reads) = (pool, Counter(), Counter())
    let group = DispatchGroup()
    DispatchQueue(label: "again").async(group: group) {
      while served.count < 20 {
        guard (try? pool.syncRead { _ in reads.add() }) != nil else { return }
      }
    }
    DispatchQueue(label: "waits").async(group: group) {
      for _ in 0..<20 { try? pool.syncRead { _ in served.add() } }
    }
    #expect(await apart { group.finishes() })
    #expect(served.count == 20)
    #expect(pool.status.waitingReadCount == 0)
  }

  @Test func `a thread that reads again can overtake a thread that has just begun to wait`()
    async throws
  {
    let pool = pool
    let hasPassed = await apart {
      for _ in 0..<1_000 {
        let group = DispatchGroup()
        let served = Counter()
        var isFirst = false
        try? pool.syncRead { _ in
          DispatchQueue(label: "waits").async(group: group) {
            try? pool.syncRead { _ in served.add() }
          }
          while pool.status.waitingReadCount == 0 {}
        }
        try? pool.syncRead { _ in isFirst = served.count == 0 }
        guard group.finishes(), served.count == 1 else { return false }
        if isFirst { return true }
      }
      return false
    }
    #expect(hasPassed)
  }

  @Test func `a waiting task reads before a thread that reads again`() async throws {
    let pool = pool
    let order = SharedLog<String>()
    let holds = Gate()
    let holding = Task {
      await apart {
        try? pool.syncRead { _ in
          holds.open()
          while pool.status.waitingReadCount == 0 {}
        }
        try? pool.syncRead { _ in order.append("thread") }
      }
    }
    #expect(await apart { holds.pass() })
    try await pool.read { _ in order.append("task") }
    await holding.value
    #expect(order.entries == ["task", "thread"])
  }

  @Test func `every waiting thread or task receives the connection or throws DeadlineError`()
    async throws
  {
    let pool = pool
    let group = DispatchGroup()
    let (done, late) = (Counter(), Counter())
    for thread in 0..<6 {
      DispatchQueue(label: "thread \(thread)").async(group: group) {
        for round in 0..<200 {
          do {
            if (thread + round).isMultiple(of: 3) {
              try pool.syncRead(deadline: .now + .microseconds(50 * thread)) { _ in }
            } else {
              try pool.syncRead { _ in }
            }
            done.add()
          } catch is DeadlineError { late.add() } catch { return }
        }
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for _ in 0..<100 { tasks.addTask { try await pool.read { _ in done.add() } } }
      try await tasks.waitForAll()
    }
    #expect(await apart { group.finishes() })
    #expect(done.count + late.count == 1_300)
    #expect(pool.status.waitingReadCount == 0 && pool.status.busyReaderCount == 0)
    try await pool.close()
  }
}
