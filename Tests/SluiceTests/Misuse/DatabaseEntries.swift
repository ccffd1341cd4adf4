import Foundation
import Sluice
import TestSupport

extension MisuseMatrix {
  /// Members of every database that reads or writes, called through the protocols.
  static let database: [QueueEntry<ConnectionQueue>] =
    reads + closings + accesses + writes + scopes + copied

  private static func reader(_ queue: ConnectionQueue) -> any DatabaseReader { queue }
  private static func writer(_ queue: ConnectionQueue) -> any DatabaseWriter { queue }

  private static let reads: [QueueEntry<ConnectionQueue>] = [
    .awaits("DatabaseReader.read(_:)") {
      try await reader($0).read { try $0.execute(sql: select) }
    },
    .waits("DatabaseReader.syncRead(_:)") {
      try reader($0).syncRead { try $0.execute(sql: select) }
    },
    .completes("DatabaseReader.asyncRead(group:_:completion:)") { queue, done in
      reader(queue).asyncRead {
        try $0.execute(sql: select)
      } completion: {
        done($0)
      }
    },
    .awaits("DatabaseReader.read(deadline:_:)") {
      try await reader($0).read(deadline: nil) { try $0.execute(sql: select) }
    },
    .waits("DatabaseReader.syncRead(deadline:_:)") {
      try reader($0).syncRead(deadline: nil) { try $0.execute(sql: select) }
    },
    .completes("DatabaseReader.asyncRead(group:qos:_:completion:)") { queue, done in
      reader(queue).asyncRead(group: nil, qos: .utility) {
        try $0.execute(sql: select)
      } completion: {
        done($0)
      }
    },
  ]

  private static let closings: [QueueEntry<ConnectionQueue>] = [
    .closes("DatabaseReader.syncClose(_:)") { try reader($0).syncClose(.drain) },
    .closesLater("DatabaseReader.close(_:)") { try await reader($0).close() },
  ]

  private static let accesses: [QueueEntry<ConnectionQueue>] = [
    .awaits("DatabaseWriter.perform(deadline:_:)") {
      try await writer($0).perform { try $0.execute(sql: insert) }
    },
    .waits("DatabaseWriter.sync(_:)") {
      try writer($0).sync { try $0.execute(sql: insert) }
    },
    .completes("DatabaseWriter.async(group:_:completion:)") { queue, done in
      writer(queue).async {
        try $0.execute(sql: insert)
      } completion: {
        done($0)
      }
    },
    .awaits("DatabaseWriter.perform(qos:deadline:_:)") {
      try await writer($0).perform(qos: .utility, deadline: nil) { try $0.execute(sql: insert) }
    },
    .waits("DatabaseWriter.sync(deadline:_:)") {
      try writer($0).sync(deadline: nil) { try $0.execute(sql: insert) }
    },
    .completes("DatabaseWriter.async(group:qos:_:completion:)") { queue, done in
      writer(queue).async(group: nil, qos: .utility) {
        try $0.execute(sql: insert)
      } completion: {
        done($0)
      }
    },
  ]

  private static let writes: [QueueEntry<ConnectionQueue>] = [
    .awaits("DatabaseWriter.write(retries:deadline:_:)") {
      try await writer($0).write { try $0.execute(sql: insert) }
    },
    .waits("DatabaseWriter.syncWrite(retries:deadline:_:)") {
      try writer($0).syncWrite { try $0.execute(sql: insert) }
    },
    .completes("DatabaseWriter.asyncWrite(retries:group:qos:_:completion:)") { queue, done in
      writer(queue).asyncWrite {
        try $0.execute(sql: insert)
      } completion: {
        done($0)
      }
    },
  ]

  private static let scopes: [QueueEntry<ConnectionQueue>] = [
    .awaits("DatabaseWriter.transaction(_:retries:deadline:_:)") {
      try await writer($0).transaction { connection in try connection.execute(sql: insert) }
    },
    .waits("DatabaseWriter.syncTransaction(_:retries:deadline:_:)") {
      try writer($0).syncTransaction { connection in try connection.execute(sql: insert) }
    },
    .completes("DatabaseWriter.asyncTransaction(_:retries:group:qos:_:completion:)") {
      queue, done in
      writer(queue).asyncTransaction { connection in
        try connection.execute(sql: insert)
      } completion: {
        done($0.map { _ in })
      }
    },
    .awaits("DatabaseWriter.transaction(_:retries:deadline:_:)") {
      try await writer($0).transaction { connection, _ in try connection.execute(sql: insert) }
    },
    .waits("DatabaseWriter.syncTransaction(_:retries:deadline:_:)") {
      try writer($0).syncTransaction { connection, _ in try connection.execute(sql: insert) }
    },
    .completes("DatabaseWriter.asyncTransaction(_:retries:group:qos:_:completion:)") {
      queue, done in
      writer(queue).asyncTransaction { connection, _ in
        try connection.execute(sql: insert)
      } completion: {
        done($0.map { _ in })
      }
    },
    .awaits("DatabaseWriter.savepoint(_:deadline:_:)") {
      try await writer($0).savepoint { connection in try connection.execute(sql: insert) }
    },
    .waits("DatabaseWriter.syncSavepoint(_:deadline:_:)") {
      try writer($0).syncSavepoint { connection in try connection.execute(sql: insert) }
    },
    .completes("DatabaseWriter.asyncSavepoint(_:group:qos:_:completion:)") { queue, done in
      writer(queue).asyncSavepoint { connection in
        try connection.execute(sql: insert)
      } completion: {
        done($0.map { _ in })
      }
    },
    .awaits("DatabaseWriter.savepoint(_:deadline:_:)") {
      try await writer($0).savepoint { connection, _ in try connection.execute(sql: insert) }
    },
    .waits("DatabaseWriter.syncSavepoint(_:deadline:_:)") {
      try writer($0).syncSavepoint { connection, _ in try connection.execute(sql: insert) }
    },
    .completes("DatabaseWriter.asyncSavepoint(_:group:qos:_:completion:)") { queue, done in
      writer(queue).asyncSavepoint { connection, _ in
        try connection.execute(sql: insert)
      } completion: {
        done($0.map { _ in })
      }
    },
  ]

  private static let copied: [QueueEntry<ConnectionQueue>] = [
    .awaits("DatabaseReader.backup(to:pagesPerStep:progress:)") {
      try await reader($0).backup(to: ConnectionQueue())
    },
    .waits("DatabaseReader.syncBackup(to:pagesPerStep:progress:)") {
      try reader($0).syncBackup(to: ConnectionQueue())
    },
    .awaits("DatabaseReader.backup(to:overwriting:pagesPerStep:progress:)") { queue in
      let folder = try TestFolder()
      try await reader(queue).backup(to: folder.url.appending(path: "b.db").path)
    },
    .awaits("DatabaseReader.backup(to:overwriting:pagesPerStep:progress:)") { queue in
      let folder = try TestFolder()
      try await reader(queue).backup(to: folder.url.appending(path: "b.db"))
    },
    .waits("DatabaseReader.syncBackup(to:overwriting:pagesPerStep:progress:)") { queue in
      let folder = try TestFolder()
      try reader(queue).syncBackup(to: folder.url.appending(path: "b.db").path)
    },
    .waits("DatabaseReader.syncBackup(to:overwriting:pagesPerStep:progress:)") { queue in
      let folder = try TestFolder()
      try reader(queue).syncBackup(to: folder.url.appending(path: "b.db"))
    },
    .awaits("Migrator.migrate(_:upTo:atomically:progress:)") {
      try await migrator.migrate(writer($0), upTo: 1)
    },
    .awaits("Migrator.migrate(_:upTo:atomically:progress:)") {
      try await migrator.migrate(writer($0), upTo: "make")
    },
    .waits("Migrator.syncMigrate(_:upTo:atomically:progress:)") {
      try migrator.syncMigrate(writer($0), upTo: 1)
    },
    .waits("Migrator.syncMigrate(_:upTo:atomically:progress:)") {
      try migrator.syncMigrate(writer($0), upTo: "make")
    },
    .awaits("Migrator.revert(_:to:)") { try await migrator.revert(writer($0), to: 0) },
    .awaits("Migrator.revert(_:to:)") {
      try await migrator.migrate(writer($0))
      try await migrator.revert(writer($0), to: "make")
    },
    .waits("Migrator.syncRevert(_:to:)") { try migrator.syncRevert(writer($0), to: 0) },
    .waits("Migrator.syncRevert(_:to:)") {
      try migrator.syncMigrate(writer($0))
      try migrator.syncRevert(writer($0), to: "make")
    },
  ]
}
