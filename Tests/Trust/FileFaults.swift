import SluiceTesting

/// Makes every file system call in every scene fail, in one run once and in another permanently.
struct FileFaults {
  let options: Options
  private let memory = MemoryFileSystem()
  private let template: [UInt8]

  init(_ options: Options) throws {
    self.options = options
    let fixture = MemoryFileSystem()
    let connection = try RegisteredFileSystem(fixture).connection("template.db")
    try SceneDatabase.add(to: connection)
    try connection.close()
    template = fixture["template.db"] ?? []
  }

  private var faults: [FileFault] {
    options.isShort
      ? [.error(), .full.forEver]
      : [
        .error(), .error().forEver, .full, .full.forEver, .cantOpen, .tornWrite, .tornWrite.forEver,
      ]
  }

  func figures() throws -> [Figure] {
    Watchdog.start()
    let modes: [Configuration.JournalMode] = options.isShort ? [.wal] : [.wal, .delete]
    var canary = Figure("", "")
    try sweep(
      Scene("canary") { database in try database.use { try database.addPairByHalf($0) } }, .error(),
      .delete,
      &canary)
    return try modes.map { mode in
      var figure = Figure("files that fail, \(mode)", "calls in \(Scene.all.count) scenes")
      figure.foundCanary = canary.failureCount > 0
      for scene in Scene.all {
        for fault in faults { try sweep(scene, fault, mode, &figure) }
      }
      return figure
    }
  }

  private func sweep(
    _ scene: Scene, _ fault: FileFault, _ mode: Configuration.JournalMode, _ figure: inout Figure
  ) throws {
    let files = try FaultyFileSystem(over: memory)
    let plain = try RegisteredFileSystem(memory)
    var configuration = files.configuration()
    // No other connection exists that could release a lock.
    configuration.busyTimeout = .zero
    let name = "\(scene.name), \(mode)"
    var problems: [String] = []
    do {
      figure.count += try files.failEachCall(with: fault) { attempt in
        Watchdog.hear("\(name), call \(attempt.number)")
        memory.removeAll()
        // A random name protects this round's file from leftovers of earlier rounds that close late.
        let path = "\(Int.random(in: 0 ..< .max)).db"
        memory[path] = template
        try plain.connection(path).execute(sql: "PRAGMA journal_mode = \(mode.rawValue)")
        let database = SceneDatabase(path: path, configuration: configuration)
        let error = try attempt.failing { try scene.body(database) }
        let place =
          "\(name): call \(attempt.number), \(attempt.fault ?? "none")"
          + (fault.isForEver ? " for ever" : "")
        if error is Accepted { figure.acceptedCount += 1 }
        if let error = error as? Wrong { problems.append("\(place): \(error)") }
        do {
          let problem = try SceneDatabase.problem(in: plain.connection(path))
          if let problem { problems.append("\(place): \(problem)") }
        } catch { problems.append("\(place): cannot be opened: \(error)") }
      }
    } catch { problems.append("\(name), without a fault: \(error)") }
    for problem in problems { figure.fail(problem) }
  }
}
