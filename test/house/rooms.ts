import { wordsOf } from '../helpers/words.ts';
/** Who may import whom, and which outside packages belong to which room. The data of imports.spec.ts; docs/architecture.md says why. */

interface Room {
  /** The sentence of docs/architecture.md about what lives there. */
  purpose: string;
  /** Rooms of ours, itself aside. */
  rooms: readonly string[];
  /** Packages and node modules that are not open to everyone. */
  outside: readonly string[];
}

interface SubRoom {
  /** The sentence of docs/rooms.md about what lives there. */
  purpose: string;
  /** Folders that its files import from, itself aside. */
  rooms: readonly string[];
}

/** Rooms that may import everything: they wire, generate or test. */
export const OPEN_ROOMS = ['bin', 'scripts', 'test', 'bench'];

/** The folders beside the rooms, in the words of docs/architecture.md; the page in web/ imports nothing of ours (page.spec.ts). */
export const OTHER_PURPOSES: Record<string, string> = {
  bin: 'the CLI and the only wiring',
  web: 'the page of operators and the page of viewers, in the browser',
  scripts: 'set-up, build, generators, demo',
  bench: 'measurements, each a ratio to a baseline of the same run',
  test: 'tests by room, whole broadcasts in e2e/, the rules of the house in house/',
};

export const ROOMS: Record<string, Room> = {
  domain: {
    purpose:
      'shapes and rules: resource schemas, states, capacity, back-off, errors, and the ports to store, Device, clock and control',
    rooms: [],
    outside: ['zod', 'node:crypto', 'node:stream', 'node:timers/promises'],
  },
  linux: {
    purpose:
      'the disk of this machine: folders, free space, and by util-linux what Node has no call for: the lock of a file (flock), its blocks (fallocate), a pipe of our own (mkfifo), the system log (logger); what the kernel allows a socket, and a process of the processors',
    rooms: ['domain'],
    outside: ['node:child_process', 'node:fs', 'node:fs/promises', 'node:util'],
  },
  presets: {
    purpose: 'data that comes with the program: ladders, and templates of Destinations',
    rooms: ['domain'],
    outside: [],
  },
  toolkit: {
    purpose: 'what a tool is and how one call runs',
    rooms: ['domain', 'presets'],
    outside: ['zod', 'zod-to-json-schema', 'node:crypto'],
  },
  tools: {
    purpose: 'one REST operation a file, file name = operationId',
    rooms: ['domain', 'presets', 'toolkit'],
    outside: ['zod'],
  },
  workflows: {
    purpose: 'the workflow tools',
    rooms: ['domain', 'toolkit'],
    outside: ['zod'],
  },
  profiles: {
    purpose: 'predicates over tools',
    rooms: ['domain', 'toolkit'],
    outside: [],
  },
  control: {
    purpose: 'start, stop, admission, the reconciler',
    rooms: ['domain'],
    outside: ['node:crypto', 'node:stream'],
  },
  // What a Schedule starts and stops is audited as a call of the one who made it.
  scheduler: {
    purpose: 'what happens by itself because its time has come',
    rooms: ['domain', 'toolkit'],
    outside: [],
  },
  store: {
    purpose: 'lowdb behind a journal, an in-memory twin, and PostgreSQL, behind one interface',
    rooms: ['domain', 'linux'],
    outside: ['lowdb', 'pg', 'node:*'],
  },
  device: {
    purpose: 'all that runs on an encoder machine',
    rooms: ['domain', 'linux'],
    outside: ['hono', '@hono/node-server', '@napi-rs/canvas', 'node:child_process', 'node:*'],
  },
  assets: {
    purpose: 'the library of media files: upload, probe, clips; it runs in the control plane',
    rooms: ['domain', 'device', 'linux'],
    outside: ['node:*'],
  },
  auth: {
    purpose: 'tokens, sessions and their throttle, the sign-in by an identity provider, the first user',
    rooms: ['domain', 'toolkit'],
    outside: ['openid-client', 'node:crypto'],
  },
  integrations: {
    purpose: 'folders, key servers, the cloud platform, transcription, over their own protocols',
    rooms: ['domain'],
    outside: wordsOf(`
      @aws-sdk/client-s3 @aws-sdk/s3-request-presigner basic-ftp fast-xml-parser ssh2-sftp-client undici webdav
      node:*
    `),
  },
  system: {
    purpose: 'this installation: licence files, the support bundle, the form of a backup',
    rooms: ['domain'],
    outside: ['age-encryption', 'jose', 'tar-stream', 'yazl', 'node:*'],
  },
  mcp: {
    purpose: 'the MCP server over stdio and HTTP; every SDK import',
    rooms: ['domain', 'toolkit', 'profiles', 'auth'],
    outside: wordsOf(`
      @modelcontextprotocol/sdk @modelcontextprotocol/server minisearch zod node:timers/promises node:stream
      node:http node:https
    `),
  },
  client: {
    purpose: 'the typed client for programs of others, `onair/client`',
    rooms: [],
    outside: [],
  },
  rest: {
    purpose: 'REST, generated from the tools; OpenAPI, metrics, the routes of the page',
    rooms: ['domain', 'toolkit', 'profiles', 'auth', 'linux'],
    outside: ['hono', '@fastify/busboy', 'zod', 'node:*'],
  },
};

/**
 * Rooms within rooms: what lives there, and below it the folders that its files may import beside itself and what its top-level room may;
 * a name that is a top-level room stands for all of that room. The first row of a room is for its own files, beside its folders.
 */
export const SUB_ROOMS: Record<string, SubRoom> = subRooms(`
control/devices: which server a Device obeys, how Devices join, and the way to those of other servers
    control, control/ingest, control/recordings, domain
control/ingest: listeners of pushed Channels: orders, reports, events, addresses
    control, domain
control/live-changes: changes of a broadcast on air, from the check to the row of its run
    control, control/ingest, control/recordings, control/start, domain
control/recordings: rows of Recordings beside what lies on the Devices
    control, control/start, domain
control/restored: what Devices bring to a store that went back
    control, domain
control/start: a start: whether, where and with what it may begin
    control, domain
control/watch: what happens to broadcasts and rows, told to whoever watches
    domain
device: what several parts of a Device share: run directory, sockets, names, disk reserve, environment
    domain, linux
device/agent: the agent: its API, pairing, the port for viewers, capabilities
    device, device/agent/dial, device/agent/files, device/agent/recordings, device/agent/runs, device/delivery,
    device/ffmpeg, device/media/arguments, device/push, device/probe, domain, linux
device/agent/dial: a Device that joins servers and dials them
    device, device/agent, domain
device/agent/files: media files that runs need on the Device
    device, domain, linux
device/agent/recordings: Recordings of the Device, and the join of their parts
    device, device/ffmpeg, device/media/arguments, device/media/fmp4, domain, linux
device/agent/runs: supervision of runners: start, follow, adopt, end
    device, domain, linux
device/delivery: media over HTTP to viewers
    device, device/delivery/live, domain
device/delivery/live: media that viewers of low latency ask for before it is there
    device, device/delivery, domain
device/ffmpeg: the one place that starts ffmpeg and ffprobe, confined and bounded
    device, device/media/fmp4, domain
device/link: the control plane’s side of a Device: its agent, links, pairing, transfers
    device, device/agent, device/agent/files, device/agent/runs, domain
device/media/arguments: argument lists of ffmpeg
    device/ffmpeg, device/media/ffmpeg-output, device/media/frames, device/media/ladder, domain
device/media/captions: CEA-608 and CEA-708 captions in video frames
    device/media/codecs, device/media/mpeg-ts
device/media/codecs: bit readers, slices and parameter sets of H.264 and HEVC, codec strings
device/media/encryption: common encryption of samples and tracks
    device/media/codecs, device/media/fmp4
device/media/ffmpeg-output: what ffmpeg writes: progress, source facts, reasons, with secrets removed
    domain
device/media/fmp4: fragmented MP4: boxes, parser, joins
    device/media/codecs, device/media/ladder, device/media/mpeg-ts
device/media/frames: frames and audio before the encoder: clock, pool, buffers, overlays, text
    device/media/arguments, device/media/ladder, domain
device/media/hls: HLS as a source: playlists, the order of segments, their media on one time line, cookies
    device/media/codecs, device/media/fmp4, device/media/mpeg-ts
device/media/ladder: the plan of renditions and frame rates
    device/media/ffmpeg-output, domain
device/media/manifests: HLS and DASH manifests, segments of CMAF
    device/media/captions, device/media/encryption, device/media/fmp4, device/media/ladder, device/media/scte35,
    device/media/webvtt, domain
device/media/mpeg-ts: packets, tables and clocks of a transport stream
    device/media/ladder, domain
device/media/rtmp: RTMP sessions and FLV
    device/media/captions, device/media/codecs, device/media/ladder, device/media/mpeg-ts, domain
device/media/rtsp: RTSP: messages, answers to challenges, addresses in descriptions, the order of packets
device/media/scte35: SCTE 35 cues, read and written
    device/media/codecs, device/media/mpeg-ts, domain
device/media/sound: levels, loudness and the limiter of sound
    device/media/frames, device/media/ladder, domain
device/media/srt: SRT handshakes of callers, read and answered
device/push: the process that encoders push to: ports, who is let in, readers of what comes
    device, device/ffmpeg, device/media/arguments, device/media/captions, device/media/codecs, device/media/ladder,
    device/media/mpeg-ts, device/media/rtmp, device/media/srt, domain
device/probe: a look at a source before it is on air
    device, device/ffmpeg, device/media/arguments, device/media/captions, device/media/ffmpeg-output,
    device/media/ladder, device/media/mpeg-ts, device/runner, device/runner/hls, device/runner/input,
    device/runner/process, domain
device/media/webvtt: captions as timed text: cues, WebVTT, and WebVTT in MP4
    device/media/captions, device/media/fmp4, device/media/mpeg-ts
device/runner: the process of a broadcast, or of ten that copy: API, changes on air, report, bounds of disk and CPU
    device, device/ffmpeg, device/media/ffmpeg-output, device/media/ladder, device/push, device/runner/encoder,
    device/runner/input, device/runner/outputs, device/runner/playout, device/runner/process, device/runner/rtsp,
    device/runner/stream, domain, linux
device/runner/encoder: the encoder, its supervision and rates
    device/media/arguments, device/media/ffmpeg-output, device/media/frames, device/media/ladder,
    device/media/mpeg-ts, device/runner/process, device/runner/stream, domain, linux
device/runner/watch: what a source gives by now: its streams, its return, what is read anew for them
    device/media/ffmpeg-output, device/media/ladder, device/runner/input, device/runner/playout,
    device/runner/process, device/runner/stream, domain
device/runner/input: sources coming in: ingest, cues and captions of a source
    device, device/ffmpeg, device/media/arguments, device/media/captions, device/media/ffmpeg-output,
    device/media/frames, device/media/ladder, device/media/mpeg-ts, device/media/rtmp, device/media/scte35,
    device/push, device/runner, device/runner/encoder, device/runner/hls, device/runner/process,
    device/runner/stream, device/media/sound, domain, linux, device/runner/watch
device/runner/outputs: Destinations: paths, attempts, publishers, Recordings
    device, device/ffmpeg, device/media/arguments, device/media/ffmpeg-output, device/media/fmp4,
    device/media/ladder, device/media/manifests, device/media/mpeg-ts, device/media/rtmp,
    device/runner/outputs/segments, device/runner/process, device/runner/stream, domain
device/runner/outputs/segments: segmented Destinations: HLS, CMAF, DASH, pushes to origins
    device, device/delivery, device/delivery/live, device/media/arguments, device/media/captions,
    device/media/codecs, device/media/encryption, device/media/ffmpeg-output, device/media/fmp4, device/media/ladder,
    device/media/manifests, device/media/mpeg-ts, device/media/webvtt, device/runner/outputs, device/runner/process,
    device/runner/stream, domain
device/runner/playout: what viewers see at each tick: source, fallback, overlays, blackout
    device, device/media/arguments, device/media/ffmpeg-output, device/media/frames, device/media/ladder,
    device/runner/encoder, device/runner/input, device/runner/process, device/runner/stream, device/media/sound,
    domain, device/runner/watch
device/runner/hls: HLS of others as a source: requests with cookies and redirects, readers of playlists, the stream that ffmpeg gets
    device/ffmpeg, device/media/arguments, device/media/ffmpeg-output, device/media/hls, device/media/mpeg-ts,
    device/media/scte35, device/runner/process, domain
device/runner/rtsp: the relay between ffmpeg and RTSP servers: networks, TLS, credentials, datagrams
    device/media/ffmpeg-output, device/media/rtsp, domain
device/runner/process: child processes, event log, certificates, one-shot programs
    device, device/ffmpeg, device/media/ffmpeg-output, domain, linux
device/runner/stream: the encoded stream: packets or fragments, its clock, cues and captions
    device, device/media/captions, device/media/codecs, device/media/fmp4, device/media/ladder, device/media/mpeg-ts,
    device/media/scte35, device/media/webvtt, device/runner/process, domain
integrations/cloud: the cloud platform: this service elsewhere
    domain, integrations
integrations/folders: Remote and Target Folders over their protocols
    domain, integrations
mcp: the transports: HTTP, stdio, and what stdio forwards
    auth, domain, mcp/calls, mcp/protocol, mcp/search, mcp/uplink, profiles, toolkit, toolkit/input
mcp/calls: one connection and its calls, results, prompts and resources
    domain, mcp, mcp/search, mcp/voice, profiles, toolkit, toolkit/input, toolkit/output, toolkit/preview
mcp/protocol: the two generations of the protocol; every SDK import
    domain, mcp, mcp/calls, toolkit/input
mcp/search: the ranking of search_tools and its answer
    mcp/calls, mcp/search/queries, toolkit, toolkit/input, toolkit/output
mcp/search/queries: example phrases by subject: data
mcp/uplink: the way of onair mcp to its server
    auth, domain, mcp, mcp/calls, mcp/protocol, toolkit, toolkit/input
mcp/voice: answers and refusals as sentences
    domain, mcp/search, toolkit, toolkit/subjects
rest/feed: streams of the page: the feed as server-sent events, pictures of what is on air, and its media
    auth, domain, profiles, rest, rest/metrics, toolkit
rest/metrics: figures in the Prometheus text format
    domain, linux, toolkit
rest/openapi: the OpenAPI description, generated from the tools
    domain, rest, toolkit, toolkit/input
store/history: closed rows in files: events, audit, past firings
    domain, linux, store
store/postgres: the log of commits in a database, and what follows it
    domain, store, store/history
toolkit: what a tool is, and dispatch
    domain, toolkit/input, toolkit/output, toolkit/preview
toolkit/input: from unknown values and names to typed input
    domain, toolkit, toolkit/output
toolkit/output: pages, projections and checked answers
    domain, toolkit
toolkit/preview: what a call would do, without doing it
    domain, toolkit, toolkit/output
toolkit/subjects: what the tools of one subject share
    domain, presets, toolkit, toolkit/input, toolkit/output
toolkit/subjects/set-up: a whole broadcast in one call: its plan, its rows, its answer
    domain, presets, toolkit, toolkit/input, toolkit/output, toolkit/subjects
`);

function subRooms(table: string): Record<string, SubRoom> {
  const rows = table.trim().split(/\n(?! )/u);
  return Object.fromEntries(
    rows.map((row) => {
      const [, name = '', purpose = '', rooms = ''] = /^(\S+): (.*)\n?([^]*)$/u.exec(row) ?? [];
      return [name, { purpose, rooms: rooms.match(/[\w/-]+/gu) ?? [] }];
    }),
  );
}

/** Packages that only the folders named may import, open rooms included: bin/ wires, nothing else of ours does. */
export const RESERVED: Record<string, readonly string[]> = {
  '@modelcontextprotocol/sdk': ['mcp/protocol', 'scripts', 'test', 'bench'],
  '@modelcontextprotocol/server': ['mcp/protocol'],
  '@modelcontextprotocol/client': ['test'],
  hono: ['rest', 'device/agent', 'bin', 'test', 'bench'],
  '@hono/node-server': ['device/agent', 'bin', 'test', 'bench'],
  lowdb: ['store', 'test', 'bench'],
  pg: ['store', 'test'],
  commander: ['bin'],
  pino: ['bin'],
  minisearch: ['mcp/search', 'scripts/site'],
  '@napi-rs/canvas': ['device/media/frames'],
  'zod-to-json-schema': ['toolkit/input'],
  '@aws-sdk/client-s3': ['integrations', 'test'],
  '@aws-sdk/s3-request-presigner': ['integrations'],
  'basic-ftp': ['integrations', 'test'],
  'fast-xml-parser': ['integrations', 'test'],
  'ssh2-sftp-client': ['integrations', 'test'],
  undici: ['integrations'],
  webdav: ['integrations', 'test'],
  jose: ['system', 'bin', 'test'],
  yazl: ['system'],
  // flock and fallocate of util-linux do what Node has no call for.
  'node:child_process': ['device', 'linux', 'bin', 'scripts', 'test', 'bench'],
};

/** Packages that one file alone imports, test/, bench/ and scripts/ aside: the objects of two SDKs must never meet. */
export const ADAPTERS: Record<string, string> = {
  '@modelcontextprotocol/sdk': 'mcp/protocol/protocol-2025.ts',
  '@modelcontextprotocol/server': 'mcp/protocol/protocol-2026.ts',
};

/** Folders whose files know nothing of each other; index.ts is the generated list. */
export const SEPARATE_FILES = ['tools', 'workflows'];
