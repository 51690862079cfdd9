/// One of the files of a configuration as it was read.
package struct ConfigurationText: Codable, Equatable, Sendable {
    package let path: String
    /// Nil if it could not be read.
    package let text: String?

    package init(path: String, text: String?) { (self.path, self.text) = (path, text) }
}
