// A closure that is passed to SQLite without a destructor.
// report: ERROR: LeakSanitizer: detected memory leaks
// report: swift_allocObject
// report: /leaked-closure\.swift:
import CSluice

@main struct Canary {
  final class Box {
    let body: () -> Int32
    init(_ body: @escaping () -> Int32) { self.body = body }
  }

  static func add(_ answer: Int32, to connection: OpaquePointer?) {
    let box = unsafe Unmanaged.passRetained(Box { answer }).toOpaque()
    let call:
      @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
        context, _, _ in
        guard let box = unsafe sqlite3_user_data(context) else { return }
        unsafe sqlite3_result_int(
          context, Unmanaged<Box>.fromOpaque(box).takeUnretainedValue().body())
      }
    let giveBack: @convention(c) (UnsafeMutableRawPointer?) -> Void = { box in
      guard let box = unsafe box else { return }
      unsafe Unmanaged<Box>.fromOpaque(box).release()
    }
    unsafe sqlite3_create_function_v2(
      connection, "answer", 0, SQLITE_UTF8, box, call, nil, nil, isWrong ? nil : giveBack)
  }

  static func main() {
    var handle: OpaquePointer?
    guard unsafe sqlite3_open(":memory:", &handle) == SQLITE_OK else { fatalError() }
    unsafe add(.random(in: 0..<9), to: handle)
    unsafe sqlite3_exec(handle, "SELECT answer()", nil, nil, nil)
    unsafe sqlite3_close(handle)
  }
}
