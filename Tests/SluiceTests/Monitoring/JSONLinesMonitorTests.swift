import Foundation
import Sluice
import Synchronization
import TestSupport
import Testing

@Suite(.tags(.monitoring)) struct `the JSON Lines monitor` {
  private final class Lines: Sendable {
    private let storage = Mutex<[String]>([])
    func append(_ line: String) { storage.withLock { $0.append(line) } }
    var all: [String] { storage.withLock { $0 } }
  }

  private let lines = Lines()

  @Test func `each statement and access is written as one line of valid JSON`()
    async throws
  {
    var configuration = Configuration()
    configuration.monitor = JSONLinesMonitor { [lines] in lines.append($0) }
    let queue = try ConnectionQueue(label: "a \"queue\"", configuration: configuration)
    try await queue.perform { try $0.execute(sql: "SELECT 1,\n'secret' || ?", parameters: "bound") }
    let events = try lines.all.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(events.compactMap { $0["event"] as? String } == ["statement", "access"])
    #expect(events[0]["sql"] as? String == "SELECT 1,\n'secret' || ?")
    #expect(events[0]["rows"] as? Int == 1)
    #expect(events[1]["label"] as? String == "a \"queue\"")
    #expect(events[1]["failed"] as? Bool == false)
    #expect(lines.all.allSatisfy { !$0.contains("\n") && !$0.contains("bound") })
  }

  @Test func `statements and accesses below the threshold are not written`() throws {
    var configuration = Configuration()
    configuration.monitor = JSONLinesMonitor(threshold: .seconds(600)) { [lines] in lines.append($0)
    }
    try ConnectionQueue(configuration: configuration).sync { try $0.execute(sql: "SELECT 1") }
    #expect(lines.all.isEmpty)
  }
}
