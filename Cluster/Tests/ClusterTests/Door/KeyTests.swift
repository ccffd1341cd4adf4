import ClusterDoor
import Foundation
import LocalNodes
import Testing

@Suite struct `The keys of a cluster` {
  @Test func `one command makes the authority and all certificates, for their owner only`()
    async throws
  {
    try await TestKeys.with { folder in
      let result = try await NodeProcess.run(
        "keys", "--directory", folder, "--node", "10.0.0.1:9001", "--node", "10.0.0.2:9001",
        "--client", "web")
      #expect(result.status == 0, "\(result.output)")
      let names = [
        "authority", "client-web", "node-10.0.0.1-9001", "node-10.0.0.2-9001",
      ]
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == names)
      #expect(try permissions(folder) == 0o700)
      for name in names {
        #expect(try permissions("\(folder)/\(name)") == 0o700)
        for file in try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name)") {
          #expect(try permissions("\(folder)/\(name)/\(file)") == 0o600)
        }
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/client-web")
      #expect(files.sorted() == ["authority.pem", "certificate.pem", "key.pem"])
      let keys = try TLSContext(folder: KeyFolder(folder + "/node-10.0.0.1-9001"))
      #expect(keys.identity.role == .node)
      #expect(keys.identity.name == "10.0.0.1:9001")
      #expect(try TLSContext(folder: KeyFolder(folder + "/client-web")).identity.role == .client)
    }
  }

  @Test func `a later call uses the authority, and nothing is replaced`() async throws {
    try await TestKeys.with { folder in
      let ring = KeyRing(folder)
      _ = try ring.make([.client("a")], days: 10, authorityDays: 20)
      let authority = try Data(contentsOf: URL(filePath: folder + "/authority/certificate.pem"))
      let key = try Data(contentsOf: URL(filePath: folder + "/client-a/key.pem"))
      let more = try await NodeProcess.run("keys", "--directory", folder, "--client", "b")
      #expect(more.status == 0, "\(more.output)")
      let again = try await NodeProcess.run(
        "keys", "--directory", folder, "--client", "c", "--client", "a")
      #expect(again.status == 3)
      #expect(again.output.contains("exists already"))
      #expect(!FileManager.default.fileExists(atPath: folder + "/client-c"))
      #expect(try Data(contentsOf: URL(filePath: folder + "/client-a/key.pem")) == key)
      for name in ["authority/certificate", "client-a/authority", "client-b/authority"] {
        #expect(try Data(contentsOf: URL(filePath: "\(folder)/\(name).pem")) == authority)
      }
      let list = try await NodeProcess.run("keys", "--directory", folder)
      #expect(list.output.contains("client-b: expires on 20"))
    }
  }

  @Test(arguments: [
    ["--client", ""], ["--client", "../x"], ["--client", "a/b"], ["--client", "1"],
    ["--client", "ä"], ["--node", "host:1"], ["--node", "10.0.0.1"], ["--node", "0.0.0.0:1"],
    ["--node", "10.0.0.1:09"], ["--client", "a", "--client", "a"], ["--days", "0"],
  ])
  func `wrong names are refused, and make nothing`(words: [String]) async throws {
    try await TestKeys.with { folder in
      let result = try await NodeProcess.run(["keys", "--directory", folder] + words)
      #expect(result.status == 2, "\(result.output)")
      #expect(!FileManager.default.fileExists(atPath: folder))
    }
  }

  @Test func `an expired certificate, and a key of another one, are refused at the start`()
    async throws
  {
    try await TestKeys.with { folder in
      _ = try KeyRing(folder).make([.client("a"), .client("b")], days: 10, authorityDays: 20)
      let authority = try Authority(folder: KeyFolder(folder + "/authority"))
      let old = KeyFolder(folder + "/old")
      try authority.issue(.client("a"), to: old, validity: -2 ..< -1)
      let expired = #expect(throws: DoorError.self) { try TLSContext(folder: old) }
      #expect(expired?.description.contains("has expired") == true)
      let b = KeyFolder(folder + "/client-b")
      try FileManager.default.removeItem(atPath: b.key)
      try FileManager.default.copyItem(atPath: folder + "/client-a/key.pem", toPath: b.key)
      #expect(throws: DoorError.self) { try TLSContext(folder: b) }
      #expect(throws: DoorError.self) { try TLSContext(folder: KeyFolder(folder + "/none")) }
      let start = try await NodeProcess.run(
        "start", "--id", "1", "--address", "127.0.0.1:9001", "--directory", folder + "/data",
        "--keys", folder + "/client-a")
      #expect(start.status == 3)
      #expect(start.output.contains("not that of a node"))
    }
  }

  @Test func `a node does not start or join with the certificate of another address`() async throws
  {
    try await TestKeys.with { folder in
      let other = try #require(DoorAddress("127.0.0.2:9001"))
      _ = try KeyRing(folder).make([.node(other)], days: 10, authorityDays: 20)
      let keys = folder + "/node-127.0.0.2-9001"
      for words in [["start", "--id", "1"], ["join", "--id", "2", "127.0.0.3:9001"]] {
        let result = try await NodeProcess.run(
          words + ["--address", "127.0.0.1:9001", "--directory", folder + "/data", "--keys", keys])
        #expect(result.status == 2, "\(result.output)")
        #expect(result.output.contains("127.0.0.2:9001\", but this node has the address 127.0.0.1"))
        #expect(!FileManager.default.fileExists(atPath: folder + "/data/node"))
      }
    }
  }

  private func permissions(_ path: String) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue
  }
}

/// A folder for keys, which does not exist yet.
enum TestKeys {
  static func with<T>(_ body: (_ folder: String) async throws -> T) async throws -> T {
    let folder = FileManager.default.temporaryDirectory.path + "/sluice-keys-\(UUID())"
    // A folder that remains is temporary.
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
  }
}
