import Sluice

extension CodeIndex {
  /// Updates the index from the files in the folder.
  ///
  /// While one batch is being written, the files of the next batch are read, and the reader counts the lines that
  /// can already be found.
  func update(
    from place: Place, filesPerBatch: Int, query: MatchExpression?, isVerbose: Bool = false
  ) async throws -> Update {
    let walk = FileWalker(place)
    let changes = try await changes(comparedWith: walk.files)
    var update = Update(changes, unreadable: walk.unreadable)
    var batches = changes.batches(of: filesPerBatch)[...]
    var progress = Progress(
      files: changes.changed.count, batches: batches.count, isVerbose: isVerbose)
    try await forget(changes.gone)

    var documents = read(batches.popFirst() ?? [], in: place)
    while !documents.isEmpty {
      let next = batches.popFirst() ?? []
      async let following = read(next, in: place)
      async let sight = sight(of: query)
      try await write(documents)
      update.note(documents)
      progress.advance(by: documents.count, try await sight)
      documents = await following
    }
    progress.end()
    return update
  }

  private func read(_ files: ArraySlice<FoundFile>, in place: Place) -> [Document] {
    files.map { Document($0, in: place) }
  }

  /// Removes deleted files from the index.
  private func forget(_ paths: [String]) async throws {
    guard !paths.isEmpty else { return }
    try await writer.transaction { connection in
      let writer = try FileWriter(connection)
      for path in paths { try writer.remove(path) }
    }
  }

  /// Writes all of the files or none, and replaces their previous entries in the index.
  private func write(_ documents: [Document]) async throws {
    try await writer.transaction { connection in
      let writer = try FileWriter(connection)
      for document in documents {
        try writer.remove(document.file.path)
        // Do not index an unreadable file, so that the next run tries it again.
        if document.reason != .unreadable { try writer.add(document) }
      }
    }
  }
}
