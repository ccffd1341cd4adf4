import Dispatch

/// The tables that one or more commits have changed.
public struct TableChanges: Hashable, Sendable {
  /// The names of the tables, in lower case.
  public let tables: Set<String>
  /// Whether it is unknown which tables have changed, for example after another process has written.
  public let isUnknown: Bool

  init(_ changes: TableChangeSummary) {
    tables = Set(
      changes.columns.keys.lazy.filter { !$0.isSchema && !$0.isHeaderNumber }.map(\.table))
    isUnknown = changes.isEverything
  }

  /// Returns whether this table may have changed.
  public func touches(_ table: String) -> Bool { isUnknown || tables.contains(table.withoutCase) }
}

extension DatabaseReader {
  /// Returns a publisher of the tables to which each future commit writes.
  ///
  /// ```swift
  /// let changes = queue.tableChanges()
  /// ```
  ///
  /// A table is included if a statement has written to it, directly or through triggers and foreign keys. Changes
  /// that were rolled back are left out. If a subscriber is slower than the commits, it gets the changes of
  /// several commits as one element. The publisher reports the same commits as `observe`.
  public func tableChanges() -> ValuePublisher<TableChanges> {
    observing { access in Self.tableChanges(of: access.writer) }
  }

  private static func tableChanges(of writer: SerialConnection) -> ValuePublisher<TableChanges> {
    ValuePublisher { subscriber in
      let changes = Locked(TableChangeSummary())
      let number = Locked<Int?>(nil)
      let delivery = SubscriptionState(subscriber) {
        if let number = number.withLock({ $0.take() }) { writer.commits.remove(number) }
      } resume: { delivery in
        guard changes.withLock({ !$0.isEmpty }), delivery.begin() else { return }
        writer.async(group: nil, qos: .unspecified) { connection in
          guard connection.isOpen else { throw connection.closed }
        } completion: { result in
          if case .failure(let error) = result { return delivery.finish(.failure(error)) }
          let all = changes.withLock { changes in
            defer { changes = TableChangeSummary() }
            return changes
          }
          _ = delivery.deliver(TableChanges(all))
          delivery.pause()
        }
      }
      let observer = writer.commits.add { [weak delivery] new in
        changes.withLock { $0.formUnion(new) }
        delivery?.resumeIfWanted()
      }
      number.withLock { $0 = observer }
      delivery.start()
      if delivery.isOver { writer.commits.remove(observer) }
      writer.async { [commits = writer.commits] connection in
        _ = try connection.track(telling: commits)
      } result: { [weak delivery] result in
        guard case .failure(let error) = result else { return }
        writer.afterCompletions { [weak delivery] in delivery?.finish(.failure(error)) }
      }
    }
  }
}
