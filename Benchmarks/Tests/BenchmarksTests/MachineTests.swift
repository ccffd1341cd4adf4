import Testing

@testable import Benchmarks

@Suite struct MachineTests {
  @Test func `the processor name comes from the first entry in cpuinfo`() {
    let list = "processor\t: 0\nmodel name\t: Calculator 7: fast\n\nmodel name\t: Other\n"
    #expect(Machine.processor(in: list) == "Calculator 7: fast")
    #expect(Machine.processor(in: "processor\t: 0\n") == nil)
  }

  @Test(arguments: [
    "Swift version 6.3.1 (swift-6.3.1-RELEASE)\nTarget: x86_64-unknown-linux-gnu\n",
    "swift-driver version: 1.1 Apple Swift version 6.3.1 (x)\n",
  ])
  func `the Swift version is parsed from the compiler's description`(text: String) {
    #expect(Machine.swift(in: text) == "6.3.1")
    #expect(Machine.swift(in: "swift: not found") == nil)
  }
}
