/// Help by example: of one verb, or of the command.
func helpText(_ verb: VerbName?) -> String {
  switch verb {
  case nil, .help: overview
  case .submit: submitHelp
  case .status: statusHelp
  case .list: listHelp
  case .show: showHelp
  case .why: whyHelp
  case .cancel: cancelHelp
  case .apply: applyHelp
  case .force: forceHelp
  case .retry: retryHelp
  case .pause, .resume: pauseHelp
  case .wait: waitHelp
  case .run: runHelp
  case .hold, .holds, .release: holdHelp
  case .screens: screensHelp
  case .events: eventsHelp
  case .feedback: feedbackHelp
  case .version: "touchgate version prints the version of this command.\n" + everyVerb
  }
}

private let overview = """
  touchgate holds back updates while somebody touches the screen.

    touchgate submit reload-page url=https://example.org   hand over an update; prints its id
    touchgate status                                       is the screen touched, what waits for what
    touchgate status --watch                               the same each second
    touchgate list --state waiting                         a line an update
    touchgate show ID                                      everything about one update
    touchgate why                                          what each waiting update waits for, and what clears it
    touchgate cancel ID                                    take back one that waits
    touchgate apply ID                                     no longer wait for its quiet period, only for the screen
    touchgate retry ID                                     one that failed waits again
    touchgate force ID                                     apply it now, whatever is in the way (needs the right)
    touchgate wait ID                                      until it has ended
    touchgate run --quiet 30s -- systemctl reboot          a command of your own, in the first quiet moment
    touchgate hold --why TEXT -- COMMAND…                  nothing is applied meanwhile; holds, release ID
    touchgate screens | events                             what is touched; a line of JSON for whatever happens
    touchgate pause --why TEXT | resume                    stop applying, and go on (needs the right)
    touchgate feedback success -- COMMAND                  the screen's motor taps, and the command runs
    touchgate help submit                                  more about a verb
    touchgate version

  \(everyVerb)
  Exit codes: 0 done, 1 other failure, 2 wrong arguments, 3 service not running (status only), 4 no such id,
  65 request refused as it is, 69 service not running (every other verb), 75 not quiet, not ended, or try again later,
  77 not permitted, 125 a command could not be run in its turn, 130 interrupted.

  """

private let everyVerb = """
  Every verb takes:
    --json           machine-readable output that stays stable
    --socket PATH    another socket than /run/touchgate/touchgate.sock; or set TOUCHGATE_SOCKET
    --help

  """

private let submitHelp = """
  touchgate submit HANDLER [NAME=VALUE…] [--payload FILE|-] [--id ID] [--key K] [--priority N] [--quiet D]
                   [--not-before T] [--deadline T] [--on-deadline expire|apply|force] [--screen S]
                   [--wait[=D]] [--dry-run] [--if-quiet]
  Hands an update to the service and prints its id. Once the id is printed, the update is durable: it is applied in
  the first quiet moment, also after a crash or a reboot. HANDLER is one that the administrator configured.

    touchgate submit reload-page
    touchgate submit reload-page url=https://example.org/menu
    touchgate submit show-notice --payload notice.html       the handler reads it from standard input
    date | touchgate submit show-notice --payload -
    touchgate submit reload-page --id menu-2026-11-30        safe to repeat: the same id is one update
    touchgate submit show-notice --key weather --payload -   takes the place of the waiting one with this key, as the
                                                             handler is configured
    touchgate submit reload-page --priority 10               before those with less; -100 to 100, else 0
    touchgate submit reboot --quiet 30s                      nobody has touched for so long; at most 1h
    touchgate submit reload-page --not-before 30min          a span from now, or a time: 2026-11-30T02:00:00Z
    touchgate submit show-notice --deadline 2h               is dropped if it still waits then: expired
    touchgate submit reboot --quiet 5min --deadline 8h --on-deadline apply
                                                             then in the next moment without a touch
    touchgate submit show-notice --screen till               waits for this screen only, else for all
    touchgate submit reload-page --wait=10min                returns when it has ended: 0 applied, 1 otherwise, 75 not yet
    touchgate submit reload-page --dry-run                   stores nothing; prints what would be in the way
    touchgate submit reload-page --if-quiet                  now or not at all: 75 where it would have to wait

  A payload may be any bytes, at most 1 MiB. An id is 1 to 64 characters of A-Za-z0-9._-, a key at most 200 bytes.

  \(everyVerb)
  """

private let statusHelp = """
  touchgate status [ID] [--watch]
  Says whether a screen is touched, what waits, what blocks it and what clears that, and what was applied last.

    touchgate status
    touchgate status --watch             each second; redrawn on a terminal, else a line: not touched,
                                         touched (2 contacts on lobby), unknown (REASON), not running
    touchgate status --watch | while read -r line; do …
    touchgate status --json | jq .touched
    touchgate status ID                  the same as: touchgate show ID

  Exit code 0: the service answered, touched or not; 3: it is not running.

  \(everyVerb)
  """

private let listHelp = """
  touchgate list [--state STATE] [--limit N]
  Prints a line an update: id, handler, state, age, and the first thing that blocks it.

    touchgate list
    touchgate list --state waiting
    touchgate list --state failed --limit 10
    touchgate list --json | jq -r '.updates[].id'

  \(everyVerb)
  """

private let showHelp = """
  touchgate show ID [--payload | --param NAME]
  Prints everything about one update: all that blocks it and what clears that, or how it ended.

    touchgate show 01JDXYZ0000000000000000000
    touchgate show menu-2026-11-30 --json | jq .state
    touchgate show menu-2026-11-30 --payload     its bytes and nothing else; for the unit of a Unit= handler
    touchgate show menu-2026-11-30 --param url   the value of one parameter

  Payload and parameters are for who submitted it, for root, and for those with the right Admin=.

  Exit code 0 whatever its state is; 4: there is no such update.

  \(everyVerb)
  """

private let whyHelp = """
  touchgate why [ID]
  Prints all that blocks an update, one a line: what, for how long, where, and what clears it. Without an id, of
  everything that waits, the oldest first; and what ended otherwise than applied in the last 24 hours, with what had
  blocked it.

    touchgate why menu-2026-11-30
    touchgate why
    touchgate why menu-2026-11-30 --json | jq -r '.blockers[].code'
    touchgate why --json | jq -r '.waiting[] | .id + " " + .blockers[].code'

  Exit code 0 also where nothing blocks; 4: there is no such update.

  \(everyVerb)
  """

private let cancelHelp = """
  touchgate cancel ID
  Takes back an update that waits. Prints nothing; with --json the update.

    touchgate cancel menu-2026-11-30
    touchgate list --state waiting --json | jq -r '.updates[].id' | xargs -n 1 touchgate cancel

  Exit code 0: it will not be applied; 4: there is no such update; 65: too late, it is being applied or has ended;
  77: it belongs to somebody else.

  \(everyVerb)
  """

private let applyHelp = """
  touchgate apply ID
  The update no longer waits for its quiet period, for --not-before or after a failure; for the screen it still does:
  it is applied in the next moment without a touch. Prints nothing; with --json the update and what blocks it now.

    touchgate apply menu-2026-11-30
    touchgate apply menu-2026-11-30 --json | jq -r '.blockers[].clears'

  Exit code 0: it is so, which need not mean that it is applied yet; 4: there is no such update; 65: it is being
  applied or has ended; 77: it belongs to somebody else.

  \(everyVerb)
  """

private let forceHelp = """
  touchgate force ID
  The update is applied at once, under a finger too: it waits for nothing but the update that is being applied. What it
  overrode stands in its history (touchgate show ID). Needs the right Force= ([Rights] in touchgate.conf). Prints
  nothing; with --json the update.

    touchgate force security-fix-7

  Exit code 0: it is so; 4: there is no such update; 65: it is being applied or has ended; 77: you may not.

  \(everyVerb)
  """

private let retryHelp = """
  touchgate retry ID
  An update that ended otherwise than applied (failed, expired, cancelled, superseded) waits again, at its old place and
  with all its attempts; without its deadline where that has passed. Prints nothing; with --json the update.

    touchgate retry menu-2026-11-30
    touchgate list --state failed --json | jq -r '.updates[].id' | xargs -n 1 touchgate retry

  Exit code 0: it waits; 4: there is no such update; 65: it has not ended, was applied, or a newer one of its key waits;
  77: it belongs to somebody else.

  \(everyVerb)
  """

private let pauseHelp = """
  touchgate pause [--why TEXT]
  touchgate resume
  Nothing is applied any more, over restarts too, until somebody says resume; updates are still accepted. What runs now
  ends. Needs the right Admin= ([Rights] in touchgate.conf).

    touchgate pause --why 'inventory until noon'
    touchgate status                     shows it
    touchgate resume

  Exit code 0: it is so; 65: resume, and nothing is paused; 77: you may not.

  \(everyVerb)
  """

private let waitHelp = """
  touchgate wait ID [--timeout D]
  touchgate wait [--quiet D] [--screen S] [--timeout D]
  Waits for the end of an update, or until an update with this quiet period would be applied: nobody touches, nobody
  holds, nothing else is being applied.

    touchgate wait menu-2026-11-30 && echo it is there
    touchgate wait --quiet 30s --timeout 0 || exit 21        is it quiet? (a Mender state script)

  Exit code 0: applied, or quiet; 1: it ended otherwise (a superseded one is as good as its successor); 4: there is no
  such update; 75: not yet, at the time-out.

  \(everyVerb)
  """

private let runHelp = """
  touchgate run [--quiet D] [--screen S] [--guard] [--timeout D] -- COMMAND…
  Waits for the first moment in which nobody has touched for so long, then runs the command, with your rights and in
  your session; nothing else is applied meanwhile. What flock(1) is for files, for human attention.

    touchgate run --quiet 30s -- systemctl reboot
    touchgate run --quiet 5s --guard -- systemctl restart kiosk     touches reach nobody while it starts
    touchgate run --timeout 1h -- ./install || echo not now

  Exit code: the command's; 75: not quiet at the time-out; 125: it could not be waited for; 126, 127: no such command.

  \(everyVerb)
  """

private let holdHelp = """
  touchgate hold --why TEXT [--screen S] [--for D | -- COMMAND…]
  touchgate holds
  touchgate release ID
  While anybody holds, nothing is applied. A hold lasts as long as its command, or with --for so long, whatever becomes
  of this process; with neither, until it is interrupted. Prints the id of the hold, where there is no command.

    touchgate hold --why payment -- ./take-payment
    touchgate hold --why 'on stage' --for 2h
    touchgate holds                      who holds, since when, and why
    touchgate release 01JDXYZ0000000000000000000

  Exit code of hold with a command: the command's; 125: it could not hold. release: 4: there is no such hold.

  \(everyVerb)
  """

private let screensHelp = """
  touchgate screens
  Prints each screen with its state, and below it its devices.

    touchgate screens
    touchgate screens --json | jq -r '.screens[] | select(.state == "touched") | .name'

  \(everyVerb)
  """

private let eventsHelp = """
  touchgate events [--since N]
  Prints a line of JSON for whatever happens: touches begin and end, screens change, updates change their state. Each
  has a number; --since N begins after that one, and a line of type gap says how many are gone.

    touchgate events | jq -r 'select(.type == "touch") | .touched'
    touchgate events --since 0

  \(everyVerb)
  """

private let feedbackHelp = """
  touchgate feedback KIND [-- COMMAND…]
  touchgate feedback --self-test
  Lets the device that vibrates tap, and runs COMMAND at that moment, in the place of this program and with its exit
  code. KIND is success, warning, error, light, medium, heavy or selection. Without haptics the command runs at once;
  without the service, or where it says nothing for 120 ms, it runs all the same.

    touchgate feedback success -- systemctl --user restart kiosk
    touchgate feedback selection
    touchgate feedback error --json | jq .silentBecause     why nothing could be felt
    touchgate feedback --self-test                          prepare, fire and skew on this device: median and worst
    touchgate status --json | jq .haptics

  Exit code: the command's; 125: it could not be started. Without a command 0 also where nothing could be felt; of
  --self-test 1 then.

  \(everyVerb)
  """
