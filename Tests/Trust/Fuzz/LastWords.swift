import Foundation
import Synchronization

/// Prints the seed of the round when the process crashes, so that the round can be repeated.
enum LastWords {
  private static let number = Atomic<UInt64>(0)

  static var seed: UInt64 {
    get { number.load(ordering: .relaxed) }
    set { number.store(newValue, ordering: .relaxed) }
  }

  static func start() {
    for name in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE] {
      signal(name) { name in
        LastWords.say()
        signal(name, SIG_DFL)
        raise(name)
      }
    }
  }

  /// Writes without calls that may allocate memory.
  private static func say() {
    var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
    unsafe withUnsafeMutableBytes(of: &digits) { bytes in
      var index = bytes.count - 1
      unsafe bytes[index] = UInt8(ascii: "\n")
      var rest = seed
      repeat {
        index -= 1
        unsafe bytes[index] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      } while rest > 0
      let text: StaticString = "A crash with the seed "
      unsafe write(1, text.utf8Start, text.utf8CodeUnitCount)
      unsafe write(1, bytes.baseAddress! + index, bytes.count - index)
    }
  }
}
