import COpenSSL
import Glibc

/// A certificate of X.509.
@safe struct Certificate: ~Copyable {
  let handle: OpaquePointer

  /// Takes over a reference.
  init(_ handle: OpaquePointer) { unsafe self.handle = handle }

  /// Reads a file in the PEM format.
  init(file: String) throws {
    guard let stream = unsafe fopen(file, "re") else {
      throw DoorError.system("\(file) cannot be read")
    }
    defer { unsafe fclose(stream) }
    ERR_clear_error()
    guard let handle = unsafe PEM_read_X509(stream, nil, nil, nil) else {
      throw OpenSSLError.failure("\(file) is not a certificate")
    }
    unsafe self.handle = handle
  }

  deinit { unsafe X509_free(handle) }

  /// The name and the role, which the subject contains as common name and organizational unit.
  func identity() throws -> DoorIdentity {
    let subject = unsafe X509_get_subject_name(handle)
    guard let unit = unsafe Self.entry(subject, NID_organizationalUnitName),
      let role = DoorRole(rawValue: unit), let name = unsafe Self.entry(subject, NID_commonName)
    else { throw DoorError("the certificate names no role") }
    return DoorIdentity(name: name, role: role)
  }

  /// Returns whether the certificate names the address of a node.
  func names(_ address: DoorAddress) -> Bool {
    unsafe address.bytes.withUnsafeBufferPointer { bytes in
      unsafe X509_check_ip(handle, bytes.baseAddress, bytes.count, 0) == 1
    }
  }

  /// The time at which the certificate expires, such as `2028-11-30`.
  var expiry: String {
    var time = unsafe tm()
    guard unsafe ASN1_TIME_to_tm(X509_get0_notAfter(handle), &time) == 1 else { return "unknown" }
    func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (year, month, day) = unsafe (time.tm_year + 1900, time.tm_mon + 1, time.tm_mday)
    return "\(year)-\(digits(month))-\(digits(day))"
  }

  /// Throws if the certificate is not valid now.
  func requireValidity(_ file: String) throws {
    // OpenSSL returns 0 for an error.
    guard unsafe X509_cmp_current_time(X509_get0_notAfter(handle)) > 0 else {
      throw DoorError(
        "\(file) has expired (\(expiry)); make a new certificate by \"sluice-node keys\"")
    }
    guard unsafe X509_cmp_current_time(X509_get0_notBefore(handle)) < 0 else {
      throw DoorError("\(file) is not valid yet; compare the clocks of the machines")
    }
  }

  /// Returns the only entry of a kind in a name; nil if there is none, or more than one.
  private static func entry(_ name: OpaquePointer?, _ kind: Int32) -> String? {
    let index = unsafe X509_NAME_get_index_by_NID(name, kind, -1)
    guard index >= 0, unsafe X509_NAME_get_index_by_NID(name, kind, index) < 0,
      let entry = unsafe X509_NAME_get_entry(name, index),
      let text = unsafe X509_NAME_ENTRY_get_data(entry),
      let bytes = unsafe ASN1_STRING_get0_data(text)
    else { return nil }
    let count = Int(unsafe ASN1_STRING_length(text))
    return unsafe String(
      validating: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
