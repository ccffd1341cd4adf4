import Foundation
import SluiceTesting

/// Makes every SQLite memory allocation in every scene fail, in one run once and in another permanently.
struct MemoryFaults {
  let options: Options
  private let memory = MemoryFileSystem()
  private let files: RegisteredFileSystem
  private let template: [UInt8]
  /// The connections that a canary does not release.
  private let leaks = Leaks()

  private final class Leaks {
    var connections: [Connection] = []
  }

  init(_ options: Options) throws {
    self.options = options
    // The faulty allocator can be installed only before SQLite is used.
    try FaultyMemory.install()
    files = try RegisteredFileSystem(memory)
    let connection = try files.connection("template.db")
    try SceneDatabase.add(to: connection)
    try connection.close()
    template = memory["template.db"] ?? []
  }

  func figures() throws -> [Figure] {
    Watchdog.start()
    var half = Figure("", "")
    try sweep(
      Scene("canary") { database in try database.use { try database.addPairByHalf($0) } }, false,
      &half)
    var leaking = Figure("", "")
    try sweep(
      Scene("leaking canary") { [leaks] database in
        let connection = try Connection(path: database.path, configuration: database.configuration)
        do { try database.addPair(connection) } catch {
          leaks.connections.append(connection)
          throw error
        }
      }, false, &leaking)
    leaks.connections = []
    return try [false, true].map { isForEver in
      var figure = Figure(
        "allocations that fail\(isForEver ? " for ever" : "")",
        "in \(Scene.all.count) scenes")
      figure.foundCanary = half.failureCount > 0 && leaking.failureCount > 0
      for scene in Scene.all {
        try sweep(scene, isForEver, step: options.isShort ? 23 : 1, &figure)
      }
      return figure
    }
  }

  private func sweep(
    _ scene: Scene, _ isForEver: Bool, step: Int = 1, _ figure: inout Figure
  ) throws {
    var problems: [String] = []
    // Earlier rounds may close their files late; a random name keeps them from affecting this round's file.
    func database() -> SceneDatabase {
      memory.removeAll()
      let path = "\(Int.random(in: 0 ..< .max)).db"
      memory[path] = template
      return SceneDatabase(path: path, configuration: files.configuration())
    }
    do {
      // Some allocations are made once and never freed.
      try scene.body(database())
      let used = SQLiteLibrary.memoryUsed
      figure.count += try FaultyMemory.failEachAllocation(
        isForEver: isForEver, step: step
      ) { attempt in
        Watchdog.hear("\(scene.name), allocation \(attempt.number)")
        let database = database()
        let error = try attempt.failing { try scene.body(database) }
        let place = "\(scene.name): allocation \(attempt.number)\(isForEver ? " for ever" : "")"
        if let error = error as? Wrong { problems.append("\(place): \(error)") }
        if error is Accepted { figure.acceptedCount += 1 }
        let kept = kept(by: scene, beyond: used)
        if kept > 0 { problems.append("\(place): \(kept) bytes were not given back") }
        do {
          let problem = try SceneDatabase.problem(in: files.connection(database.path))
          if let problem { problems.append("\(place): \(problem)") }
        } catch { problems.append("\(place): cannot be opened: \(error)") }
      }
    } catch { problems.append("\(scene.name), without a fault: \(error)") }
    for problem in problems { figure.fail(problem) }
  }

  /// Returns the number of bytes in use beyond `used`.
  ///
  /// If another thread may still release memory, waits for it for up to two seconds.
  private func kept(by scene: Scene, beyond used: Int) -> Int {
    for _ in 0..<2000 where scene.endsLater && SQLiteLibrary.memoryUsed > used { usleep(1000) }
    return SQLiteLibrary.memoryUsed - used
  }
}
