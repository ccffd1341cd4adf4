import COpenSSL
import Glibc

/// The TLS of one connection, whose calls do not wait.
@safe final class TLSSession {
  /// The outcome of a call.
  enum Outcome {
    /// The call moved this number of bytes, or ended the handshake.
    case count(Int)
    /// The call has to be repeated when the socket can be read.
    case needsInput
    /// The call has to be repeated when the socket accepts bytes.
    case needsOutput
    /// The other side has closed the connection.
    case end
    case failure(String)
  }

  private let handle: OpaquePointer

  init(_ context: OpaquePointer, _ descriptor: Int32) throws {
    ERR_clear_error()
    guard let handle = unsafe SSL_new(context) else { throw OpenSSLError.failure("TLS") }
    unsafe self.handle = handle
    guard unsafe SSL_set_fd(handle, descriptor) == 1 else { throw OpenSSLError.failure("TLS") }
  }

  deinit { unsafe SSL_free(handle) }

  func beginAccepting() { unsafe SSL_set_accept_state(handle) }

  func beginConnecting(to address: DoorAddress) throws {
    unsafe SSL_set_connect_state(handle)
    let isSet = unsafe address.bytes.withUnsafeBufferPointer { bytes in
      unsafe X509_VERIFY_PARAM_set1_ip(SSL_get0_param(handle), bytes.baseAddress, bytes.count)
    }
    guard isSet == 1 else { throw OpenSSLError.failure("TLS") }
  }

  /// Continues the handshake.
  func shakeHands() -> Outcome {
    outcome { unsafe SSL_do_handshake(handle) }
  }

  /// Receives at most as many bytes as `room` has.
  func read(into room: UnsafeMutableRawBufferPointer) -> Outcome {
    outcome { unsafe SSL_read(handle, room.baseAddress, Int32(clamping: room.count)) }
  }

  /// Sends some of the bytes.
  func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    outcome { unsafe SSL_write(handle, bytes.baseAddress, Int32(clamping: bytes.count)) }
  }

  /// Whether bytes wait in the memory of the session.
  var hasInput: Bool { unsafe SSL_pending(handle) > 0 }

  /// Tells the other side that the connection ends.
  func close() {
    ERR_clear_error()
    _ = unsafe SSL_shutdown(handle)
    ERR_clear_error()
  }

  /// Returns the owner of the other side's certificate, after the handshake.
  func identity() throws -> DoorIdentity {
    guard let handle = unsafe SSL_get1_peer_certificate(handle) else {
      throw DoorError("the other side has no certificate")
    }
    return try unsafe Certificate(handle).identity()
  }

  private func outcome(_ call: () -> Int32) -> Outcome {
    ERR_clear_error()
    errno = 0
    let result = call()
    if result > 0 { return .count(Int(result)) }
    let code = errno
    switch unsafe SSL_get_error(handle, result) {
    case SSL_ERROR_WANT_READ: return .needsInput
    case SSL_ERROR_WANT_WRITE: return .needsOutput
    case SSL_ERROR_ZERO_RETURN: return .end
    default:
      if let reason = unsafe OpenSSLError.verification(SSL_get_verify_result(handle)) {
        ERR_clear_error()
        return .failure(reason)
      }
      // A connection that ends without a message of TLS leaves an error of OpenSSL, or none.
      if let reason = OpenSSLError.take(), !reason.contains("unexpected eof") {
        return .failure(reason)
      }
      return code == 0 ? .end : .failure(systemMessage(code))
    }
  }
}
