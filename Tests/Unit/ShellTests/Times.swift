import HTTPTypes
import Timeline

func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

func wall(_ seconds: Int64) -> WallTime { WallTime(millisecondsSinceEpoch: seconds * 1000) }

func token(_ number: UInt64) -> RequestToken { RequestToken(number: number) }
