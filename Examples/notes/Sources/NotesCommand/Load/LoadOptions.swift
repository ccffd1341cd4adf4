/// The options of the load test.
struct LoadOptions {
  let file: String
  var seconds = 60
  var tasks = 200
  var seed = UInt64.random(in: 0...UInt64(UInt32.max))
  /// Whether another process sends requests to a service with the same file.
  var hasSecondProcess = false
  /// Whether this is the second process, which prints its ledger instead of a report.
  var isSecondProcess = false

  init(file: String, _ arguments: some Sequence<String>) throws {
    self.file = file
    var arguments = arguments.makeIterator()
    while let argument = arguments.next() {
      switch argument {
      case "--seconds": seconds = try Self.number(after: argument, arguments.next())
      case "--tasks": tasks = try Self.number(after: argument, arguments.next())
      case "--seed": seed = UInt64(try Self.number(after: argument, arguments.next()))
      case "--second-process": hasSecondProcess = true
      case "--is-second-process": isSecondProcess = true
      default: throw UsageError("\(argument) is not an option")
      }
    }
  }

  private static func number(after option: String, _ word: String?) throws -> Int {
    guard let word, let number = Int(word), number > 0 else {
      throw UsageError("\(option) requires a positive number")
    }
    return number
  }
}
