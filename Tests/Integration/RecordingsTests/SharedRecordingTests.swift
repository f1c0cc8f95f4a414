import FoundationEssentials
import Glibc
import ProjectFiles
import Recordings
import Testing
import TouchModel

@Suite("recordings of real screens", .enabled(if: SharedRecordings.exist, "no \(SharedRecordings.folder)"))
struct SharedRecordingTests {
  @Test("each is read, and is equal when written and read again", arguments: SharedRecordings.all)
  func readAndWritten(path: String) throws {
    let recording = try Recording.read(path: path)
    #expect(recording.device.axes[EventCode.positionX] != nil)
    #expect(!recording.events.isEmpty || path.hasSuffix(".desc"))
    #expect(try Recording.parse(Array(recording.text().utf8)) == recording)
  }

  @Test("they hold the 326 SYN_REPORT with value 1 that their README counts")
  func reportsOfTheKernel() throws {
    var count = 0
    for path in SharedRecordings.hidDevices {
      count += try Recording.read(path: path).events.count { event in
        event.type == EventType.syn && event.code == EventCode.synReport && event.value == 1
      }
    }
    #expect(SharedRecordings.hidDevices.count == 35)
    #expect(count == 326)
  }

  @Test("a screen with key autorepeat says so")
  func autorepeat() throws {
    let path = "\(SharedRecordings.folder)/hid-devices/elan_04f3_000c_0.ev"
    #expect(try Recording.read(path: path).device.autorepeat)
  }
}

@Suite("files")
struct RecordingFileTests {
  @Test("the project's own recording holds two fingers that land and lift, and is equal when written and read again")
  func own() throws {
    let recording = try Recording.read(path: "\(ProjectFiles.root.path)/Examples/recordings/two-fingers.evemu")
    #expect(recording.device.name == "Lobby Touchscreen")
    #expect(recording.device.axes[EventCode.slot] == .init(minimum: 0, maximum: 9))
    #expect(recording.events.filter { $0.code == EventCode.trackingID }.map(\.value) == [0, 1, -1, -1])
    #expect(try Recording.parse(Array(recording.text().utf8)) == recording)
  }

  @Test("a missing file, a folder, and a file without an end are errors with a reason")
  func unreadable() {
    for (path, word) in [("/nonexistent", "No such file"), ("/tmp", "directory"), ("/dev/zero", "64 MiB")] {
      let error = #expect(throws: RecordingError.self) { try Recording.read(path: path) }
      #expect(error?.description.contains(word) == true)
    }
  }

  @Test("a .desc file next to an .events file is its description")
  func descriptionBeside() throws {
    var template = Array("/tmp/recordings-XXXXXX".utf8CString)
    let made = try #require(mkdtemp(&template))
    let folder = String(cString: made)
    let files = ["My.Panel.desc": "N: My.Panel\nI: 18 0 0 0\n", "My.Panel.tap.events": "E: 0.000000 3 39 1\n"]
    defer {
      for name in files.keys { unlink("\(folder)/\(name)") }
      rmdir(folder)
    }
    for (name, text) in files {
      let file = try #require(fopen("\(folder)/\(name)", "w"))
      fputs(text, file)
      fclose(file)
    }
    let recording = try Recording.read(path: "\(folder)/My.Panel.tap.events")
    #expect(recording.device.name == "My.Panel")
    #expect(recording.events.count == 1)
  }
}
