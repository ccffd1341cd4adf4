import SluiceCluster
import TestSupport
import Testing

@Suite(.tags(.connections)) struct `Addresses of nodes` {
  @Test(arguments: ["127.0.0.1:9001", "0.0.0.0:1", "255.255.255.255:65535"])
  func `an address is the text that it was made of`(text: String) {
    #expect(NodeAddress(text)?.description == text)
  }

  @Test func `an address has a host and a port`() {
    let address: NodeAddress = "10.0.0.1:9001"
    #expect(address.endpoint?.host == "10.0.0.1")
    #expect(address.endpoint?.port == 9001)
    #expect(address.door == nil)
    #expect(address.greeting.isEmpty)
  }

  @Test func `a path is the address of a door, through which other nodes are reached`() throws {
    let door: NodeAddress = "/run/sluice/door"
    #expect(door.description == "/run/sluice/door")
    #expect(door.endpoint == nil)
    #expect(door.greeting == [0x53, 0x4c, 0, 0, 0, 0, 0, 0])
    let node = try #require(NodeAddress("10.0.0.1:9001", likewise: door))
    #expect(node.description == "10.0.0.1:9001")
    #expect(node.door == "/run/sluice/door")
    #expect(node != "10.0.0.1:9001")
    #expect(node.greeting == [0x53, 0x4c, 0x23, 0x29, 10, 0, 0, 1])
    // A node cannot make a client connect to a path.
    #expect(NodeAddress("/run/other", likewise: door) == nil)
  }

  @Test func `a path that a system cannot store is no address`() {
    #expect(NodeAddress("/" + String(repeating: "a", count: 102)) != nil)
    #expect(NodeAddress("/" + String(repeating: "a", count: 103)) == nil)
    let cut = "/a" + "\0b"
    #expect(NodeAddress(cut) == nil)
  }

  @Test(arguments: [
    "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:+1",
    "127.0.0.1:1:2", "127.0.0:1", "127.0.0.1.1:1", "127.0.0.256:1", "127.0.0.01:1", "127.0.0.-1:1",
    "localhost:1", "::1:1", " 127.0.0.1:1", "127.0.0.1:1 ", "127.0.0.1:01", "127..0.1:1",
    "127.0.0.１:1", "/", "run/sluice/door",
  ])
  func `other text is no address`(text: String) {
    #expect(NodeAddress(text) == nil)
  }
}
