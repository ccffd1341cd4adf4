/// The types of answers.
enum WireAnswer: UInt8 {
  case failure = 0
  case server = 1
  case welcome = 2
  case servers = 3
  case database = 4
  case statement = 5
  case result = 6
  case rows = 7
  case empty = 8
  case files = 9
  case metadata = 10
}
