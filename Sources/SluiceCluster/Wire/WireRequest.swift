/// The types of requests.
///
/// A node never answers a request of another type.
enum WireRequest: UInt8 {
  case leader = 0
  case client = 1
  case open = 3
  case prepare = 4
  case finalize = 7
  case executeSQL = 8
  case querySQL = 9
  case add = 12
  case assign = 13
  case remove = 14
  case dump = 15
  case members = 16
  case transfer = 17
  case describe = 18
}
