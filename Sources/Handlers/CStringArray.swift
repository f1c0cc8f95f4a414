import Glibc

/// Null-terminated strings in a null-terminated array, as execve(2) takes them. Freed with the object.
final class CStringArray {
  let pointers: [UnsafeMutablePointer<CChar>?]

  init(_ strings: [String]) { pointers = strings.map { strdup($0) } + [nil] }

  deinit { for pointer in pointers { free(pointer) } }
}
