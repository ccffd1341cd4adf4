// Reads a byte past the end of an allocation.
// report: ERROR: AddressSanitizer: heap-buffer-overflow
// report: #0 .*/heap-overflow\.swift:
@main struct Canary {
  static func main() {
    let count = CommandLine.arguments.count + 7
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
    unsafe bytes.initialize(repeating: 1)
    guard let start = unsafe bytes.baseAddress else { fatalError() }
    guard unsafe (start + (isWrong ? count : count - 1)).pointee == 1 else { fatalError() }
    unsafe bytes.deallocate()
  }
}
