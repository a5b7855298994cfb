/** Which tests prove what a heading promises: paths below test/, without the ending that says the suite. docs/proof.md is made of it. */

type Proofs = Record<string, readonly string[]>;

/** Headings of the README and of the manual, by page. */
export const PAGES: Record<string, Proofs> = {
  'README.md': proofs(`
Give it to an assistant: mcp/interop mcp/stdio e2e/stdio e2e/assistant mcp/conformance mcp/inspector
From nothing to on air: docs/commands e2e/on-air contract/operations profiles/table
`),
  'docs/manual.md': proofs(`
Sources, ladders, Destinations:
    device/runner/ladder device/runner/refused device/runner/copy device/runner/copied-format device/runner/sources
    device/runner/sources-rtmp device/runner/sources-srt device/runner/sources-datagram device/runner/rtsp-relay
    device/runner/rtmp-enhanced device/runner/rtmp-secure device/runner/srt-bytes device/runner/tracks
    device/runner/captions device/runner/webvtt device/runner/packagers device/runner/srt-output
    device/runner/stream-output device/runner/push-output device/runner/players device/runner/colour
    device/runner/fragments device/runner/sources-shapes
Players of low latency:
    device/media/low-latency device/delivery/http2 device/runner/low-latency-media device/runner/low-latency
    device/runner/low-latency-players
Platforms and ready-made ladders: presets/presets tools/presets
A broadcast by one command: bin/new tools/set-up tools/set-up-plan e2e/starts e2e/set-up
What comes and goes on air: tools/runtime-paths tools/runtime e2e/changes-on-air e2e/come-and-go e2e/changes
OBS may go first: device/push/rtmp device/push/srt tools/ingest e2e/pushed-starts e2e/pushed-faults
Look before the air: device/probe/packet-facts device/runner/sources-rtsp-runs e2e/probe
At a terminal: bin/verbs bin/new bin/exit-codes bin/screens bin/login bin/listener bin/times bin/completion
By the clock:
    scheduler/schedules scheduler/two-years scheduler/planned-actions domain/recurrence e2e/starts e2e/schedules
    e2e/planned-actions
Changing what is on air:
    tools/runtime-picture tools/runtime-source device/runner/compositor device/runner/preview device/runner/cues
    device/runner/sources-options device/runner/blackout device/runner/sound device/runner/sources-switch e2e/changes
    e2e/page-on-air-acts
Recordings, folders and clips:
    device/agent/recordings assets/clips integrations/remote-folder integrations/target-folder integrations/transfer
    scheduler/retention e2e/recordings e2e/folders
Encryption and viewers:
    device/media/encryption device/runner/encrypted device/runner/key-periods device/runner/key-rotation integrations/key-server e2e/changes-on-air e2e/private-playback
    e2e/page-on-air e2e/encrypted
Who watches:
    device/delivery/audience device/delivery/cmcd-report device/agent/audience tools/audience rest/metrics e2e/changes-on-air e2e/audience
Where it runs: bin/settings bin/bundle bin/image house/systemd bin/deb-parts bin/deb bin/package e2e/unprivileged
Other services: integrations/cloud integrations/transcription integrations/cpix e2e/cloud
Alarms: tools/alarms rest/metrics bin/doctor
Groups of Live streams: tools/livestreams web/live-streams
Walls on monitors: tools/walls rest/feed/display e2e/page-wall
Mails about faults: scheduler/mail-rules rest/mail-link
What happened: domain/run-report tools/run-report web/faults/events
What holds while things break:
    store/crash store/power-cut store/damage store/failure store/shared toolkit/shared-members device/runner/faults
    e2e/survival e2e/members device/runner/restart device/agent/runs device/agent/agent-life e2e/drills e2e/full-disk
    e2e/fleet-drill e2e/soak-minutes e2e/soak store/shared-faults e2e/backup
`),
};

/** Pages of docs/decisions, by name. */
export const DECISIONS: Proofs = proofs(`
alarms: tools/alarms rest/metrics bin/doctor
answers:
    mcp/answers mcp/on-air workflows/get_livestream_status e2e/starts e2e/fifty-copies device/runner/faults web/health
assets: assets/asset-files tools/assets assets/shared-assets e2e/members e2e/shared-assets
audience: device/delivery/audience device/delivery/cmcd-report device/agent/audience tools/audience e2e/changes-on-air e2e/audience
audio-tracks: device/runner/tracks device/runner/tracks-shapes device/runner/players
backup: system/backup store/import e2e/backup
buckets: device/runner/push-bucket device/runner/push-mirror device/runner/bucket-viewer tools/secrets
captions:
    device/media/captions device/media/webvtt device/runner/captions device/runner/captions-kinds device/runner/webvtt
    device/runner/players-captions
capacity: control/capacity domain/capacity device/agent/capabilities device/runner/machine-use device/runner/overload
changes-on-air: tools/runtime device/runner/faults e2e/changes
clips: assets/clips tools/clips
cloud-platform: integrations/cloud tools/cloud-accounts e2e/cloud
connections:
    device/connections device/delivery/http2 device/delivery/media-connection device/push/rtmp device/push/srt
    device/link/dial-in device/agent/pairing device/runner/rtsp-relay integrations/remote-folder
conventions: tools/partial-updates rest/conventions toolkit/input contract/properties
copy-streams: device/agent/shared-runners device/runner/copy device/runner/copied-format device/runner/copied-push device/media/flv-transport device/push/paced-turns device/runner/continued-view e2e/shared-runner e2e/copied-restart e2e/fifty-copies
device-pairing: device/agent/pairing device/link/dial-in device/link/sessions e2e/second-device e2e/dialled-device
device-events: control/device-events control/event-refusals store/history scheduler/mail-rules
device-loss: tools/device-loss control/lease device/runner/lease e2e/device-loss
device-trust: device/link/captured control/captured device/link/remote-recordings fuzz/fuzz
display-links: rest/feed/display tools/walls
encoding-values: domain/renditions tools/encodings device/media/encoder-matrix device/runner/source-rate
encryption: device/media/encryption device/runner/encrypted device/runner/key-rotation control/content-keys e2e/encrypted
failed-starts: e2e/starts tools/broadcasts e2e/failing-starts
failover: device/runner/failover-rule device/runner/backup-source device/runner/failover-whole
feed: rest/feed/feed rest/feed/kept-messages web/feed
feeder: device/feeder/ndi device/feeder/card device/runner/sources-ndi
ffmpeg: device/ffmpeg/launch device/ffmpeg/trial device/runner/refused device/runner/sources-hostile
fleet-size: device/link/device-link e2e/fleet-size
folders: integrations/remote-folder integrations/target-folder tools/folders e2e/folders
full-disk: control/storage device/agent/storage device/incoming-space device/runner/machine-use toolkit/shortage e2e/full-disk
fuzzing: fuzz/fuzz
hardware-encoders:
    device/media/hardware-args device/runner/encoder-choice device/runner/hardware-run tools/encodings
hdr: device/media/light device/media/hdr-encoders device/media/eight-bit device/runner/hdr device/runner/hdr-players device/media/tone-map
history: store/history store/old-history store/layout
idempotency: toolkit/idempotency toolkit/idempotency-restart rest/repeats mcp/idempotency-header
installation: bin/installation bin/postinst bin/deb-parts bin/deb bin/deb-upgrade bin/image bin/package
libraries: house/imports house/structure
licences: system/licence-file tools/licences rest/licences
live-delivery:
    e2e/changes-on-air device/agent/delivery device/delivery/media-connection device/runner/cmaf-folder
    e2e/viewers-load
mails: scheduler/mail-rules rest/mail-link
livestream-options: tools/livestream-options
low-latency:
    device/media/low-latency device/runner/low-latency-media device/runner/low-latency
    device/runner/low-latency-players
mcp: mcp/interop mcp/stateless mcp/forward mcp/list mcp/call mcp/voice mcp/conformance
moves: tools/moves control/priority device/runner/run-gate e2e/second-device e2e/moves e2e/move-backups
names: toolkit/resolve workflows/names mcp/corrections
networks: domain/networks tools/networks integrations/networks device/runner/sources-networks e2e/networks
oauth: rest/oauth/attacks rest/oauth/clients auth/oauth auth/client-document e2e/oauth mcp/oauth-programs
one-machine: device/link/copies tools/lost-devices e2e/members e2e/one-encoder
page-words: web/forms e2e/page-shell
one-of-pairs: domain/rules tools/livestreams
output-caches: store/answers toolkit/views
pictures: rest/picture-stream device/runner/ladder device/media/still-painter device/runner/pictures
planned-actions: scheduler/planned-actions scheduler/planned-actions-start tools/planned-actions e2e/planned-actions
presets: presets/presets tools/presets
previews: mcp/preview
probing: device/probe/packet-facts e2e/probe
gone: device/agent/parts device/agent/runs store/lock
guessing: device/push/guesses auth/sign-in-throttle
push-channels: device/push/rtmp device/push/srt device/media/srt-keys control/ingests e2e/pushed-faults
recordings: device/agent/recordings tools/recordings e2e/recordings
references: tools/rules tools/rules-outputs
reserve: domain/group-reserve control/reserve
retention: scheduler/retention toolkit/retention store/kept
restored-store: domain/store-era control/restored scheduler/restored e2e/restored e2e/restored-fleet e2e/page-admin
rtmp-delivery:
    device/media/rtmp-muxer device/runner/rtmp-enhanced device/runner/rtmp-secure device/runner/destinations
hls-sources: device/media/hls-source device/runner/sources-hls device/runner/hls-seams
rist: device/runner/rist tools/rules-addresses
run-report: domain/run-report tools/run-report
rtsp: device/media/rtsp device/runner/rtsp-relay device/runner/sources-rtsp
instants: contract/instants bin/times
schedules: scheduler/schedules domain/planned-occurrences scheduler/two-years tools/schedules e2e/starts e2e/schedules
search: mcp/search mcp/search-absent mcp/search-fields
server-address: device/delivery/other-devices control/playback e2e/server-address
set-up: tools/set-up tools/set-up-plan e2e/starts e2e/set-up
source-shape: device/runner/source-shape device/runner/catch-up device/runner/source-rate
several-servers: store/shared toolkit/shared-members e2e/members e2e/fleet-drill
shared-store: store/postgres store/shared store/database store/shared-faults store/cut-off bin/waiting
skew: domain/device-features control/ingests tools/moves
slots: control/capacity domain/capacity
sound:
    device/runner/ladder device/media/levels device/media/limiter device/runner/levels device/runner/loudness
    device/runner/sound tools/livestream-options
sources:
    device/runner/sources device/runner/sources-srt device/runner/sources-datagram device/runner/source-form
    device/runner/sources-faults device/media/source-buffer
start-config: tools/rules-starts tools/broadcasts
support-bundle: tools/downloadSystemInfo
terminal: bin/verbs bin/output bin/exit-codes bin/screens
tests: harness/harness house/clocks house/proof
tls: device/delivery/tls-pair device/delivery/http2 e2e/survival e2e/tls
token-scopes: contract/token-scopes tools/token-scopes tools/tokens
tool-definitions: mcp/definitions house/tools house/golden
typed-client: client/client contract/typed-client
types: house/types house/new-type
users-and-sign-in: auth/auth auth/sessions auth/sign-in-throttle rest/sign-in rest/provider-sign-in tools/users
validation: toolkit/validate
wall: web/on-air web/health web/faults/events web/screens e2e/page-wall
`);

/** A row is a heading, a colon, and paths; lines that begin with a space belong to the row before. */
function proofs(table: string): Proofs {
  const rows = table.trim().split(/\n(?! )/u);
  return Object.fromEntries(
    rows.map((row) => {
      const [heading = '', paths = ''] = row.split(/:(?=\s)/u);
      return [heading, paths.trim().split(/\s+/u)];
    }),
  );
}
