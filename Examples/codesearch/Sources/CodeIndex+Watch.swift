import Sluice

extension CodeIndex {
  /// Writes the results now and after each change, and keeps the index up to date with the folder.
  ///
  /// This method runs until an error occurs or its task is cancelled.
  func watch(
    _ place: Place, filesPerBatch: Int, query: MatchExpression?, limit: Int
  ) async throws {
    let results = reader.observe { connection in try connection.results(query, limit: limit) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for try await results in results.removeDuplicates() {
          try Console.write(Report(results, isStyled: Terminal.isCapable(1)).description)
        }
      }
      group.addTask {
        while true {
          try await Task.sleep(for: .milliseconds(300))
          let update = try await update(from: place, filesPerBatch: filesPerBatch, query: query)
          if update.hasNews { Console.tell(update.description) }
        }
      }
      // When one child task ends, cancel the other one.
      try await group.next()
      group.cancelAll()
    }
  }
}
