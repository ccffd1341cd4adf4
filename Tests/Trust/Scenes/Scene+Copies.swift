import Sluice

extension Scene {
  /// Copies of databases and of their parts.
  static var copies: [Scene] {
    [
      Scene("blobs") { database in
        try database.use { connection in
          let blob = try connection.openBlob(
            table: "person", column: "picture", rowid: 1, readOnly: false)
          try blob.write(chunks: [[UInt8](repeating: 7, count: 4000), [1, 2, 3]], at: 10)
          try blob.close()
          let copy = try connection.openBlob(table: "person", column: "picture", rowid: 1)
          var sum = 0
          try copy.forEachChunk(of: 1000) { bytes in
            for index in bytes.indices { sum += Int(bytes[index]) }
          }
          try require(sum == 28_006, "the blob sums up to \(sum)")
        }
      },
      Scene("backup") { database in
        try database.use { connection in
          let memory = try Connection()
          try connection.backup(to: memory)
          try require(SceneDatabase.isWhole(memory), "the backup is damaged")
          let other = try Connection(
            path: database.path + ".copy", configuration: database.configuration)
          let backup = try Backup(of: memory, to: other)
          while try backup.step(pages: 3) {}
          try require(SceneDatabase.isWhole(other), "the copy is damaged")
        }
      },
      Scene("serialization", needs: [.serialization]) { database in
        try database.use { connection in
          let bytes = try connection.serialize()
          let twin = try Connection()
          try twin.deserialize(bytes)
          try database.addPair(twin)
          try require(SceneDatabase.isWhole(twin), "the twin is damaged")
        }
      },
      Scene("sessions", needs: [.sessions]) { database in
        try database.use { connection in
          let other = try Connection()
          try other.execute(sql: SceneDatabase.schema)
          let session = try connection.session { $0 != "person" }
          try database.addPair(connection)
          let changeset = try session.changeset()
          let rebase = try other.apply(changeset) { _ in .omit }
          try require(rebase.isEmpty, "there were conflicts")
          try require(SceneDatabase.isWhole(other), "half of the changes were applied")
          try other.apply(changeset.inverted())
          let group = try Changeset.Group()
          try group.add(changeset)
          try require(group.output() == changeset, "the group is another")
          try require(changeset.appending(changeset.inverted()).isEmpty, "the sum is not empty")
          let rebaser = try Rebaser()
          try rebaser.add(rebase)
          let rebased = try rebaser.rebase(changeset)
          try Accepted.lostChanges(rebased, changeset)
          try require(rebased == changeset, "nothing is something else")
          var chunks: [[UInt8]] = []
          try session.changeset { chunks.append($0) }
          try other.apply(Changeset.Stream(chunks)) { _ in .replace }
          try require(SceneDatabase.isWhole(other), "half of the chunks were applied")
        }
      },
    ]
  }
}
