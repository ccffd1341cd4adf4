// A database on several nodes, for code that also works with a queue or a pool.

// snippet.hide
import Foundation
// snippet.show
import SluiceCluster

// snippet.hide
import SluiceData

// This snippet is only compiled, unless the nodes of the article run.
guard ProcessInfo.processInfo.environment["SLUICE_CLUSTER"] != nil else { exit(0) }
// snippet.show
struct EventStore {
  let database: any DatabaseWriter

  func add(_ title: String) async throws -> Int64 {
    try await database.write { connection in
      try connection.execute("INSERT INTO event(title) VALUES (\(title))")
      return connection.lastInsertRowid
    }
  }

  func count() async throws -> Int {
    try await database.read { connection in
      try connection.first(.column(.int), sql: "SELECT count(*) FROM event") ?? 0
    }
  }
}

let migrator = try Migrator([
  Migration(
    1, "create event",
    sql: """
      CREATE TABLE event(id INTEGER PRIMARY KEY, title TEXT NOT NULL);
      CREATE TABLE payment(id TEXT PRIMARY KEY, amount INTEGER NOT NULL)
      """)
])

let cluster = try Cluster(
  nodes: ["127.0.0.1:9001", "127.0.0.1:9002", "127.0.0.1:9003"], database: "main")
try await migrator.migrate(cluster)
let store = EventStore(database: cluster)
print(try await store.add("Note G"))

// The same store in a test, with a database in memory.
let queue = try ConnectionQueue(label: "test")
try await migrator.migrate(queue)
let testStore = EventStore(database: queue)
// snippet.hide
guard try await testStore.add("Note G") == 1 else { fatalError() }
guard try await store.count() > 0 else { fatalError() }

// snippet.show
func pay(_ amount: Int, id: UUID) async throws {
  do {
    try await cluster.write(deadline: .now + .seconds(8)) { connection in
      try connection.execute(
        """
        INSERT INTO payment(id, amount) VALUES (\(id.uuidString), \(amount))
        ON CONFLICT DO NOTHING
        """)
    }
  } catch ClusterError.outcomeUnknown {
    // Perhaps committed. The same call with the same id is safe, whatever has happened.
    throw TryAgain()
  } catch is ClusterError, is DeadlineError {
    // Not committed: the leader was lost, or none was found in time.
    throw TryAgain()
  }
}
// snippet.hide

struct TryAgain: Error {}

let id = UUID()
try await pay(5, id: id)
try await pay(5, id: id)

// snippet.show
// Sees every change that was acknowledged, to any client, before this call.
let amount = try await cluster.confirmedRead { connection in
  try connection.first(.column(.int), sql: "SELECT sum(amount) FROM payment")
}
// snippet.hide
guard let amount, amount >= 5 else { fatalError() }

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(
  at: folder.appending(path: "backup"), withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
_ = FileManager.default.changeCurrentDirectoryPath(folder.path)

// snippet.show
let administrator = ClusterAdministrator(nodes: ["127.0.0.1:9001", "127.0.0.1:9002"])
for node in try administrator.status() {
  print(node.address, node.isLeader ? "leads" : node.failure ?? "follows")
}
// snippet.hide
let name = "restored-\(UUID().uuidString)"
let nodes = administrator.nodes

// snippet.show
try await cluster.backup(to: "backup.db")
let copy = try Connection(path: "backup.db", readOnly: true)
print(
  try copy.first(.column(.string), sql: "SELECT title FROM event ORDER BY id DESC")
    ?? "empty")

let restored = try Cluster(nodes: nodes, database: name)
try await restored.restore(from: "backup.db")
// snippet.hide
guard try await EventStore(database: restored).count() > 0 else { fatalError() }
