import SluiceTesting

/// Every allocation of SQLite's in every scene fails, once and for ever.
struct MemoryFaults {
  let options: Options
  private let memory = MemoryFileSystem()
  private let files: RegisteredFileSystem
  private let template: [UInt8]
  /// What a canary does not let go of.
  private let leaks = Leaks()

  private final class Leaks {
    var connections: [Connection] = []
  }

  init(_ options: Options) throws {
    self.options = options
    // Nothing of SQLite's may have been used before.
    try FaultyMemory.install()
    files = try RegisteredFileSystem(memory)
    let connection = try files.connection("template.db")
    try Stage.add(to: connection)
    try connection.close()
    template = memory["template.db"] ?? []
  }

  func figures() throws -> [Figure] {
    Watchdog.start()
    var half = Figure("", "")
    try sweep(
      Scene("canary") { stage in try stage.use { try stage.addPairByHalf($0) } }, false, &half)
    var leaking = Figure("", "")
    try sweep(
      Scene("leaking canary") { [leaks] stage in
        let connection = try Connection(path: stage.path, configuration: stage.configuration)
        do { try stage.addPair(connection) } catch {
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
    let stage = Stage(path: "main.db", configuration: files.configuration())
    var problems: [String] = []
    func prepare() {
      memory.removeAll()
      memory["main.db"] = template
    }
    do {
      // What is made once stays.
      prepare()
      try scene.body(stage)
      let used = SQLiteLibrary.memoryUsed
      figure.count += try FaultyMemory.failEachAllocation(
        isForEver: isForEver, step: step
      ) { attempt in
        Watchdog.hear("\(scene.name), allocation \(attempt.number)")
        prepare()
        let error = try attempt.failing { try scene.body(stage) }
        let place = "\(scene.name): allocation \(attempt.number)\(isForEver ? " for ever" : "")"
        if let error = error as? Wrong { problems.append("\(place): \(error)") }
        let kept = SQLiteLibrary.memoryUsed - used
        if kept > 0 { problems.append("\(place): \(kept) bytes were not given back") }
        do {
          let problem = try Stage.problem(in: files.connection("main.db"))
          if let problem { problems.append("\(place): \(problem)") }
        } catch { problems.append("\(place): cannot be opened: \(error)") }
      }
    } catch { problems.append("\(scene.name), without a fault: \(error)") }
    for problem in problems { figure.fail(problem) }
  }
}
