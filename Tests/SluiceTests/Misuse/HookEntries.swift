import Sluice

private final class Deaf: TransactionObserver {}

extension MisuseMatrix {
  /// Members of a connection that add hooks, observers and handlers.
  static let hooks: [Entry<Connection>] = [
    Entry("Connection.onCommit(_:)", .works) { try $0.onCommit {} },
    Entry("Connection.onRollback(_:)", .works) { try $0.onRollback {} },
    Entry("Connection.afterCommit(_:)", .works) { connection in
      try connection.transaction { connection, _ in try connection.afterCommit { _ in } }
    },
    Entry("Connection.onUpdate(_:)", .works) { try $0.onUpdate { _ in } },
    Entry("Connection.onPreUpdate(_:)", Refusals.works.butClosed(needing: .preUpdateHook)) {
      try $0.onPreUpdate { _ in }
    },
    Entry("Connection.add(transactionObserver:)", .works) {
      try $0.add(transactionObserver: Deaf())
    },
    Entry("Connection.onWALCommit(_:)", .works) { try $0.onWALCommit { _, _ in } },
    Entry("Connection.walAutocheckpoint", .works) { try $0.walAutocheckpoint },
    Entry("Connection.setWALAutocheckpoint(_:)", .works) { try $0.setWALAutocheckpoint(100) },
    Entry("Connection.setBusyHandler(_:)", .works) { try $0.setBusyHandler { _ in false } },
    Entry("Connection.setBusyTimeout(_:)", .works) { try $0.setBusyTimeout(.zero) },
    Entry("Connection.onProgress(every:_:)", .works) { try $0.onProgress(every: 1) {} },
    Entry("Connection.trace(_:_:)", .works) { try $0.trace([.statement, .row]) { _ in } },
    Entry("Connection.authorize(_:)", .works) { try $0.authorize { _ in .allow } },
    Entry("Connection.setAutovacuumHandler(_:)", .works) {
      try $0.setAutovacuumHandler { $0.freePageCount }
    },
    Entry("Connection.waitForUnlock(timeout:)", Refusals.works.butClosed(needing: .unlockNotify)) {
      try $0.waitForUnlock(timeout: .zero)
    },
  ]
}
