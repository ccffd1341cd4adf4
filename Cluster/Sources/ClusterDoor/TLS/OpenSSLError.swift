import COpenSSL

/// Descriptions of the errors that OpenSSL has stored for the current thread.
enum OpenSSLError {
  /// Returns the reason of the newest error, and removes all; nil if there is none.
  static func take() -> String? {
    let code = ERR_peek_last_error()
    defer { ERR_clear_error() }
    guard code != 0 else { return nil }
    for (reason, text) in reasons where sluice_has_reason(code, reason) == 1 { return text }
    guard let text = unsafe ERR_reason_error_string(code) else { return "error \(code) of OpenSSL" }
    return unsafe String(cString: text)
  }

  /// Returns an error with a text and the reason of OpenSSL.
  static func failure(_ text: String) -> DoorError {
    DoorError("\(text): \(take() ?? "an error of OpenSSL")")
  }

  /// Texts that say more than those of OpenSSL.
  ///
  /// The other side sends an alert if it does not accept a certificate.
  private static let reasons: [(Int32, String)] = [
    (SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE, "the other side has no certificate"),
    (SSL_R_HTTP_REQUEST, "the other side does not use TLS"),
    (SSL_R_WRONG_VERSION_NUMBER, "the other side does not use TLS"),
    (SSL_R_BAD_RECORD_TYPE, "the other side does not use TLS"),
    (SSL_R_UNSUPPORTED_PROTOCOL, "the other side does not use TLS 1.3"),
    (SSL_R_TLSV1_ALERT_UNKNOWN_CA, "the node does not know the authority of this certificate"),
    (SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED, "this certificate has expired"),
    (SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, "the other side refuses this certificate"),
    (SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE, "the other side refuses this certificate"),
    (SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED, "the node requires a certificate"),
  ]

  /// Returns the reason why a certificate of the other side is not accepted; nil if it is.
  static func verification(_ code: Int) -> String? {
    switch Int32(code) {
    case X509_V_OK: nil
    case X509_V_ERR_CERT_HAS_EXPIRED: "the certificate has expired"
    case X509_V_ERR_CERT_NOT_YET_VALID: "the certificate is not valid yet"
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
      X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_SIGNATURE_FAILURE:
      "the certificate is not from the authority of this cluster"
    case X509_V_ERR_IP_ADDRESS_MISMATCH: "the certificate belongs to another address"
    case X509_V_ERR_INVALID_PURPOSE: "the certificate is not made for this use"
    default: unsafe String(cString: X509_verify_cert_error_string(code))
    }
  }
}
