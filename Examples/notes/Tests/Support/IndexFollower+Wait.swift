import Notes

extension IndexFollower {
  /// Waits until the index satisfies a condition.
  func wait(until condition: (_ index: NoteIndex) -> Bool) async throws {
    while !condition(index) { try await Task.sleep(for: .milliseconds(1)) }
  }
}
