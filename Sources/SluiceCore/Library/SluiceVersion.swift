/// The version of Sluice.
package enum SluiceVersion {
  package static let text = "0.9.0"
}
