import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.observation), .timeLimit(.minutes(10))) struct `the end of a live query` {
  @Test func `closing a queue ends its observations with misuse`() throws {
    let observed = try Observed("CREATE TABLE t(a)", "SELECT a FROM t")
    let changes = Recorder<TableChanges>(.unlimited)
    observed.queue.tableChanges().subscribe(changes)
    observed.queue.settle()
    try observed.queue.syncClose()
    observed.queue.settle()
    #expect((observed.recorder.error as? SQLiteError)?.code == .misuseClosed)
    #expect((changes.error as? SQLiteError)?.code == .misuseClosed)
  }

  /// A subscriber that does not retain its subscription.
  private final class Forgetful: ValueSubscriber {
    let ended: Gate
    init(_ ended: Gate) { self.ended = ended }
    deinit { ended.open() }
    func receive(subscription: any ValueSubscription) { subscription.request(.max(1)) }
    func receive(_ value: [Int]) -> ValueDemand { .none }
    func receive(completion: ValueCompletion) {}
  }

  @Test func `an unreferenced subscription releases its subscriber`() throws {
    let queue = try ConnectionQueue()
    let ended = Gate()
    queue.observe(.column(.int), sql: "SELECT 1").subscribe(Forgetful(ended))
    #expect(ended.pass())
  }

  @Test func `cancelling a subscription releases a subscriber that its own query captures`()
    throws
  {
    let queue = try ConnectionQueue()
    weak var kept: Recorder<Int>?
    do {
      let recorder = Recorder<Int>(.unlimited)
      kept = recorder
      queue.observe { _ in recorder.values.count }.subscribe(recorder)
      queue.settle()
      #expect(recorder.values == [0])
      recorder.subscription?.cancel()
      queue.settle()
    }
    #expect(kept == nil)
  }
}
