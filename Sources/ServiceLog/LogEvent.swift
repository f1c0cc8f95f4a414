/// What a line says, for programs: its `MESSAGE_ID` in the journal, with an explanation in the catalog
/// (systemd/catalog/touchgate.catalog, `journalctl -x`). An id is never used for anything else.
public enum LogEvent: String, CaseIterable, Sendable {
  case ready = "9f99791884fd44d5a94801d453436bac"
  case stopping = "48b61543c2dc4158ba015e5a906ae879"
  case reloaded = "30ba0b22ddb5431b8e6476dfc3513081"
  case reloadRefused = "44fd4e2db3d64072b83f823d65a9de88"
  case handlerStarted = "335da04edd8a4e298578e6a27afd2bf1"
  case attemptFailed = "a02ad13370e045d0b703f847795bdd4e"
  case applied = "04e0657fac794979947fb0d0e2984a23"
  case failed = "598a674f3216404db29813a2ba10b54a"
  /// Superseded, cancelled or expired.
  case endedUnapplied = "f40e42b86d7f4f04a93ff0e1de52491f"
  case forced = "167c532c76974b4fa2ca2a9161eb7693"
  case paused = "3aad72ab1e214794874749fbf3b19b61"
  case resumed = "d5aa17ccbbc34bfb8078339b83c11dca"
  case goesToSleep = "3fd3c99d31294973a74176ef50481f41"
  case interrupted = "fe2015b30e8b4660bd8174dc19350111"
}
