/// One row of a table of settings: a key of a file and all that the service needs to know about it. `Target` is what the
/// file is read into.
struct Setting<Target>: Sendable {
  /// The section as the tables name it; `Screen NAME` is any section whose first word is `Screen`.
  let section: String
  let key: String
  /// The default as people write it; nil if nothing that can be written is the default.
  let standard: String?
  /// Several lines of one file may have this key.
  let isRepeatable: Bool
  /// What a reload does if the value is different.
  let reload: ReloadEffect
  /// Applies one line of a file to the target.
  let read: @Sendable (ConfigurationFile.Entry, inout Target) throws(Refused) -> Void
  /// Whether two targets have different values.
  let differs: @Sendable (Target, Target) -> Bool

  /// A key with one value. `standard`: nil if the default cannot be written.
  init<Value: Equatable & Sendable>(
    _ section: String, _ key: String, _ path: any WritableKeyPath<Target, Value> & Sendable,
    _ reader: ValueReader<Value>,
    default standard: String?, _ reload: ReloadEffect
  ) {
    self.init(section, key, comparing: path, default: standard, reload) { entry, target throws(Refused) in
      target[keyPath: path] = try reader.read(entry.value)
    }
  }

  /// A key that has no value by default.
  init<Value: Equatable & Sendable>(
    _ section: String, _ key: String, optional path: any WritableKeyPath<Target, Value?> & Sendable,
    _ reader: ValueReader<Value>, _ reload: ReloadEffect
  ) {
    self.init(section, key, comparing: path, default: nil, reload) { entry, target throws(Refused) in
      target[keyPath: path] = try reader.read(entry.value)
    }
  }

  /// A key with a custom reader. `path`: the value that `differs` compares.
  init<Value: Equatable & Sendable>(
    _ section: String, _ key: String, comparing path: any KeyPath<Target, Value> & Sendable,
    default standard: String? = nil,
    isRepeatable: Bool = false, _ reload: ReloadEffect,
    read: @escaping @Sendable (ConfigurationFile.Entry, inout Target) throws(Refused) -> Void
  ) {
    self.section = section
    self.key = key
    self.standard = standard
    self.isRepeatable = isRepeatable
    self.reload = reload
    self.read = read
    differs = { $0[keyPath: path] != $1[keyPath: path] }
  }
}
