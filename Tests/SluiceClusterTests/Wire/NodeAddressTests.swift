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
    #expect(address.host == "10.0.0.1")
    #expect(address.port == 9001)
  }

  @Test(arguments: [
    "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:+1",
    "127.0.0.1:1:2", "127.0.0:1", "127.0.0.1.1:1", "127.0.0.256:1", "127.0.0.01:1", "127.0.0.-1:1",
    "localhost:1", "::1:1", " 127.0.0.1:1", "127.0.0.1:1 ", "127.0.0.1:01", "127..0.1:1",
    "127.0.0.１:1",
  ])
  func `other text is no address`(text: String) {
    #expect(NodeAddress(text) == nil)
  }
}
