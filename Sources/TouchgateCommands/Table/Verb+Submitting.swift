extension Verb {
  static let submit = Verb(
    name: "submit",
    summary: "submit an update and print its ID",
    forms: [
      Form(
        .operand(.handler),
        optional: [
          .operand(.parameter), .option(.payload), .option(.id), .option(.key), .option(.priority), .option(.quiet),
          .option(.notBefore), .option(.deadline), .option(.onDeadline), .option(.screen), .option(.wait),
          .option(.dryRun), .option(.ifQuiet),
        ])
    ],
    description: """
      Submits an update and prints its ID. Once the ID is printed, the update is on disk: it is applied in the first \
      quiet moment, even after a crash or a reboot.
      """,
    examples: [
      Example("touchgate submit reload-page url=https://example.org/menu"),
      Example("touchgate submit show-notice --payload notice.html"),
      Example("date | touchgate submit show-notice --payload -"),
      Example("touchgate submit reload-page --id menu-2026-11-30", "Safe to repeat."),
      Example("touchgate submit show-notice --key weather --payload -", "Replaces the weather that is still waiting."),
      Example("touchgate submit reboot --quiet 30s"),
      Example("touchgate submit reload-page --not-before 04:00"),
      Example("touchgate submit show-notice --deadline 2h", "Expires if it is not applied within two hours."),
      Example(
        "touchgate submit reboot --quiet 5min --deadline 8h --on-deadline apply",
        "After eight hours, the next moment without a touch is enough."),
      Example("touchgate submit reload-page --wait=10min && echo done"),
      Example("touchgate submit reload-page --dry-run"),
      Example("touchgate submit reload-page --if-quiet || echo not now"),
    ],
    exits: [
      ExitMeaning(.success, "the update is stored; with --wait: it was applied"),
      ExitMeaning(.failure, "with --wait: the update ended, but was not applied"),
      ExitMeaning(.tryAgain, "the queue is full; with --wait: not yet applied; with --if-quiet: it would have to wait"),
    ],
    action: Submit.init)
}
