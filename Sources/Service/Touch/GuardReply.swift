import TouchDevices
import TouchgateAPI

extension GuardReply {
  init(_ counts: GuardCounts) {
    self.init()
    grabs = counts.grabs
    aborts = counts.aborts
    swallowed = counts.swallowed
    releasedOver = counts.releasedOver
    busy = counts.busy
  }
}
