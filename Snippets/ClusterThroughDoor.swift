// A program that reaches a cluster through the door beside it.

// snippet.hide
import Foundation
// snippet.show
import SluiceCluster

// snippet.hide
// This snippet is only compiled, unless the door of the article runs.
guard ProcessInfo.processInfo.environment["SLUICE_DOOR"] != nil else { exit(0) }
// snippet.show
let cluster = try Cluster(nodes: ["/run/sluice/door"], database: "main")
try await cluster.write { connection in
  try connection.execute(sql: "CREATE TABLE IF NOT EXISTS note(title TEXT NOT NULL)")
  try connection.execute(sql: "INSERT INTO note VALUES ('Note G')")
}
let count = try await cluster.read { connection in
  try connection.first(.column(.int), sql: "SELECT count(*) FROM note") ?? 0
}
print(count)
