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
    outside: [
      '@aws-sdk/client-s3',
      '@aws-sdk/s3-request-presigner',
      'basic-ftp',
      'fast-xml-parser',
      'ssh2-sftp-client',
      'undici',
      'webdav',
      'node:*',
    ],
  },
  system: {
    purpose: 'this installation: licence files, the support bundle, the form of a backup',
    rooms: ['domain'],
    outside: ['age-encryption', 'jose', 'tar-stream', 'yazl', 'node:*'],
  },
  mcp: {
    purpose: 'the MCP server over stdio and HTTP; every SDK import',
    rooms: ['domain', 'toolkit', 'profiles', 'auth'],
    outside: [
      '@modelcontextprotocol/sdk',
      '@modelcontextprotocol/server',
      'minisearch',
      'zod',
      'node:timers/promises',
      'node:stream',
      'node:tls',
      'undici',
    ],
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
 * Rooms within rooms. Each may import the folders named here, itself and what its top-level room may; a name that is a top-level room
 * stands for all of that room. The first row of a room is for its own files, beside its folders.
 */
export const SUB_ROOMS: Record<string, SubRoom> = {
  'control/devices': {
    purpose: 'which server a Device obeys, how Devices join, and the way to those of other servers',
    rooms: ['control', 'control/ingest', 'control/recordings', 'domain'],
  },
  'control/ingest': {
    purpose: 'listeners of pushed Channels: orders, reports, events, addresses',
    rooms: ['control', 'domain'],
  },
  'control/live-changes': {
    purpose: 'changes of a broadcast on air, from the check to the row of its run',
    rooms: ['control', 'control/ingest', 'control/recordings', 'control/start', 'domain'],
  },
  'control/recordings': {
    purpose: 'rows of Recordings beside what lies on the Devices',
    rooms: ['control', 'control/start', 'domain'],
  },
  'control/restored': {
    purpose: 'what Devices bring to a store that went back',
    rooms: ['control', 'domain'],
  },
  'control/start': {
    purpose: 'a start: whether, where and with what it may begin',
    rooms: ['control', 'domain'],
  },
  'control/watch': {
    purpose: 'what happens to broadcasts and rows, told to whoever watches',
    rooms: ['domain'],
  },
  device: {
    purpose: 'what several parts of a Device share: run directory, sockets, names, disk reserve, environment',
    rooms: ['domain', 'linux'],
  },
  'device/agent': {
    purpose: 'the agent: its API, pairing, the port for viewers, capabilities',
    rooms: [
      'device',
      'device/agent/dial',
      'device/agent/files',
      'device/agent/recordings',
      'device/agent/runs',
      'device/delivery',
      'device/ffmpeg',
      'device/media/arguments',
      'device/push',
      'device/probe',
      'domain',
      'linux',
    ],
  },
  'device/agent/dial': {
    purpose: 'a Device that joins servers and dials them',
    rooms: ['device', 'device/agent', 'domain'],
  },
  'device/agent/files': {
    purpose: 'media files that runs need on the Device',
    rooms: ['device', 'domain', 'linux'],
  },
  'device/agent/recordings': {
    purpose: 'Recordings of the Device, and the join of their parts',
    rooms: ['device', 'device/ffmpeg', 'device/media/arguments', 'device/media/fmp4', 'domain', 'linux'],
  },
  'device/agent/runs': {
    purpose: 'supervision of runners: start, follow, adopt, end',
    rooms: ['device', 'domain', 'linux'],
  },
  'device/delivery': {
    purpose: 'media over HTTP to viewers',
    rooms: ['device', 'device/delivery/live', 'domain'],
  },
  'device/delivery/live': {
    purpose: 'media that viewers of low latency ask for before it is there',
    rooms: ['device', 'device/delivery', 'domain'],
  },
  'device/ffmpeg': {
    purpose: 'the one place that starts ffmpeg and ffprobe, confined and bounded',
    rooms: ['device', 'device/media/fmp4', 'domain'],
  },
  'device/link': {
    purpose: 'the control plane’s side of a Device: its agent, links, pairing, transfers',
    rooms: ['device', 'device/agent', 'device/agent/files', 'device/agent/runs', 'domain'],
  },
  'device/media/arguments': {
    purpose: 'argument lists of ffmpeg',
    rooms: ['device/ffmpeg', 'device/media/ffmpeg-output', 'device/media/frames', 'device/media/ladder', 'domain'],
  },
  'device/media/captions': {
    purpose: 'CEA-608 and CEA-708 captions in video frames',
    rooms: ['device/media/codecs', 'device/media/mpeg-ts'],
  },
  'device/media/codecs': {
    purpose: 'bit readers, slices and parameter sets of H.264 and HEVC, codec strings',
    rooms: [],
  },
  'device/media/encryption': {
    purpose: 'common encryption of samples and tracks',
    rooms: ['device/media/codecs', 'device/media/fmp4'],
  },
  'device/media/ffmpeg-output': {
    purpose: 'what ffmpeg writes: progress, source facts, reasons, with secrets removed',
    rooms: ['domain'],
  },
  'device/media/fmp4': {
    purpose: 'fragmented MP4: boxes, parser, joins',
    rooms: ['device/media/codecs', 'device/media/ladder', 'device/media/mpeg-ts'],
  },
  'device/media/frames': {
    purpose: 'frames and audio before the encoder: clock, pool, buffers, overlays, text',
    rooms: ['device/media/arguments', 'device/media/ladder', 'domain'],
  },
  'device/media/hls': {
    purpose: 'HLS as a source: playlists, the order of segments, their media on one time line, cookies',
    rooms: ['device/media/codecs', 'device/media/fmp4', 'device/media/mpeg-ts'],
  },
  'device/media/ladder': {
    purpose: 'the plan of renditions and frame rates',
    rooms: ['device/media/ffmpeg-output', 'domain'],
  },
  'device/media/manifests': {
    purpose: 'HLS and DASH manifests, segments of CMAF',
    rooms: [
      'device/media/captions',
      'device/media/encryption',
      'device/media/fmp4',
      'device/media/ladder',
      'device/media/scte35',
      'device/media/webvtt',
      'domain',
    ],
  },
  'device/media/mpeg-ts': {
    purpose: 'packets, tables and clocks of a transport stream',
    rooms: ['device/media/ladder', 'domain'],
  },
  'device/media/rtmp': {
    purpose: 'RTMP sessions and FLV',
    rooms: ['device/media/captions', 'device/media/codecs', 'device/media/ladder', 'device/media/mpeg-ts', 'domain'],
  },
  'device/media/rtsp': {
    purpose: 'RTSP: messages, answers to challenges, addresses in descriptions, the order of packets',
    rooms: [],
  },
  'device/media/scte35': {
    purpose: 'SCTE 35 cues, read and written',
    rooms: ['device/media/codecs', 'device/media/mpeg-ts', 'domain'],
  },
  'device/media/sound': {
    purpose: 'levels, loudness and the limiter of sound',
    rooms: ['device/media/frames', 'device/media/ladder', 'domain'],
  },
  'device/media/srt': {
    purpose: 'SRT handshakes of callers, read and answered',
    rooms: [],
  },
  'device/push': {
    purpose: 'the process that encoders push to: ports, who is let in, readers of what comes',
    rooms: [
      'device',
      'device/ffmpeg',
      'device/media/arguments',
      'device/media/captions',
      'device/media/codecs',
      'device/media/ladder',
      'device/media/mpeg-ts',
      'device/media/rtmp',
      'device/media/srt',
      'domain',
    ],
  },
  'device/probe': {
    purpose: 'a look at a source before it is on air',
    rooms: [
      'device',
      'device/ffmpeg',
      'device/media/arguments',
      'device/media/captions',
      'device/media/ffmpeg-output',
      'device/media/ladder',
      'device/media/mpeg-ts',
      'device/runner',
      'device/runner/hls',
      'device/runner/input',
      'device/runner/process',
      'domain',
    ],
  },
  'device/media/webvtt': {
    purpose: 'captions as timed text: cues, WebVTT, and WebVTT in MP4',
    rooms: ['device/media/captions', 'device/media/fmp4', 'device/media/mpeg-ts'],
  },
  'device/runner': {
    purpose: 'the process of a broadcast, or of ten that copy: API, changes on air, report, bounds of disk and CPU',
    rooms: [
      'device',
      'device/ffmpeg',
      'device/media/ffmpeg-output',
      'device/media/ladder',
      'device/push',
      'device/runner/encoder',
      'device/runner/input',
      'device/runner/outputs',
      'device/runner/playout',
      'device/runner/process',
      'device/runner/rtsp',
      'device/runner/stream',
      'domain',
      'linux',
    ],
  },
  'device/runner/encoder': {
    purpose: 'the encoder, its supervision and rates',
    rooms: [
      'device/media/arguments',
      'device/media/ffmpeg-output',
      'device/media/frames',
      'device/media/ladder',
      'device/media/mpeg-ts',
      'device/runner/process',
      'device/runner/stream',
      'domain',
      'linux',
    ],
  },
  'device/runner/watch': {
    purpose: 'what a source gives by now: its streams, its return, what is read anew for them',
    rooms: [
      'device/media/ffmpeg-output',
      'device/media/ladder',
      'device/runner/input',
      'device/runner/playout',
      'device/runner/process',
      'device/runner/stream',
      'domain',
    ],
  },
  'device/runner/input': {
    purpose: 'sources coming in: ingest, cues and captions of a source',
    rooms: [
      'device',
      'device/ffmpeg',
      'device/media/arguments',
      'device/media/captions',
      'device/media/ffmpeg-output',
      'device/media/frames',
      'device/media/ladder',
      'device/media/mpeg-ts',
      'device/media/rtmp',
      'device/media/scte35',
      'device/push',
      'device/runner',
      'device/runner/encoder',
      'device/runner/hls',
      'device/runner/process',
      'device/runner/stream',
      'device/media/sound',
      'domain',
      'linux',
      'device/runner/watch',
    ],
  },
  'device/runner/outputs': {
    purpose: 'Destinations: paths, attempts, publishers, Recordings',
    rooms: [
      'device',
      'device/ffmpeg',
      'device/media/arguments',
      'device/media/ffmpeg-output',
      'device/media/fmp4',
      'device/media/ladder',
      'device/media/manifests',
      'device/media/mpeg-ts',
      'device/media/rtmp',
      'device/runner/outputs/segments',
      'device/runner/process',
      'device/runner/stream',
      'domain',
    ],
  },
  'device/runner/outputs/segments': {
    purpose: 'segmented Destinations: HLS, CMAF, DASH, pushes to origins',
    rooms: [
      'device',
      'device/delivery',
      'device/delivery/live',
      'device/media/arguments',
      'device/media/captions',
      'device/media/codecs',
      'device/media/encryption',
      'device/media/ffmpeg-output',
      'device/media/fmp4',
      'device/media/ladder',
      'device/media/manifests',
      'device/media/mpeg-ts',
      'device/media/webvtt',
      'device/runner/outputs',
      'device/runner/process',
      'device/runner/stream',
      'domain',
    ],
  },
  'device/runner/playout': {
    purpose: 'what viewers see at each tick: source, fallback, overlays, blackout',
    rooms: [
      'device',
      'device/media/arguments',
      'device/media/ffmpeg-output',
      'device/media/frames',
      'device/media/ladder',
      'device/runner/encoder',
      'device/runner/input',
      'device/runner/process',
      'device/runner/stream',
      'device/media/sound',
      'domain',
      'device/runner/watch',
    ],
  },
  'device/runner/hls': {
    purpose:
      'HLS of others as a source: requests with cookies and redirects, readers of playlists, the stream that ffmpeg gets',
    rooms: [
      'device/ffmpeg',
      'device/media/arguments',
      'device/media/ffmpeg-output',
      'device/media/hls',
      'device/media/mpeg-ts',
      'device/media/scte35',
      'device/runner/process',
      'domain',
    ],
  },
  'device/runner/rtsp': {
    purpose: 'the relay between ffmpeg and RTSP servers: networks, TLS, credentials, datagrams',
    rooms: ['device/media/ffmpeg-output', 'device/media/rtsp', 'domain'],
  },
  'device/runner/process': {
    purpose: 'child processes, event log, certificates, one-shot programs',
    rooms: ['device', 'device/ffmpeg', 'device/media/ffmpeg-output', 'domain', 'linux'],
  },
  'device/runner/stream': {
    purpose: 'the encoded stream: packets or fragments, its clock, cues and captions',
    rooms: [
      'device',
      'device/media/captions',
      'device/media/codecs',
      'device/media/fmp4',
      'device/media/ladder',
      'device/media/mpeg-ts',
      'device/media/scte35',
      'device/media/webvtt',
      'device/runner/process',
      'domain',
    ],
  },
  'integrations/cloud': {
    purpose: 'the cloud platform: this service elsewhere',
    rooms: ['domain', 'integrations'],
  },
  'integrations/folders': {
    purpose: 'Remote and Target Folders over their protocols',
    rooms: ['domain', 'integrations'],
  },
  mcp: {
    purpose: 'the transports: HTTP, stdio, and what stdio forwards',
    rooms: ['auth', 'domain', 'mcp/calls', 'mcp/protocol', 'mcp/search', 'profiles', 'toolkit', 'toolkit/input'],
  },
  'mcp/calls': {
    purpose: 'one connection and its calls, results, prompts and resources',
    rooms: [
      'domain',
      'mcp',
      'mcp/search',
      'mcp/voice',
      'profiles',
      'toolkit',
      'toolkit/input',
      'toolkit/output',
      'toolkit/preview',
    ],
  },
  'mcp/protocol': {
    purpose: 'the two generations of the protocol; every SDK import',
    rooms: ['domain', 'mcp', 'mcp/calls', 'toolkit/input'],
  },
  'mcp/search': {
    purpose: 'the ranking of search_tools and its answer',
    rooms: ['mcp/calls', 'mcp/search/queries', 'toolkit', 'toolkit/input', 'toolkit/output'],
  },
  'mcp/search/queries': {
    purpose: 'example phrases by subject: data',
    rooms: [],
  },
  'mcp/voice': {
    purpose: 'answers and refusals as sentences',
    rooms: ['domain', 'mcp/search', 'toolkit', 'toolkit/subjects'],
  },
  'rest/feed': {
    purpose: 'streams of the page: the feed as server-sent events, pictures of what is on air, and its media',
    rooms: ['auth', 'domain', 'profiles', 'rest', 'rest/metrics', 'toolkit'],
  },
  'rest/metrics': {
    purpose: 'figures in the Prometheus text format',
    rooms: ['domain', 'linux', 'toolkit'],
  },
  'rest/openapi': {
    purpose: 'the OpenAPI description, generated from the tools',
    rooms: ['domain', 'rest', 'toolkit', 'toolkit/input'],
  },
  'store/history': {
    purpose: 'closed rows in files: events, audit, past firings',
    rooms: ['domain', 'linux', 'store'],
  },
  'store/postgres': {
    purpose: 'the log of commits in a database, and what follows it',
    rooms: ['domain', 'store', 'store/history'],
  },
  toolkit: {
    purpose: 'what a tool is, and dispatch',
    rooms: ['domain', 'toolkit/input', 'toolkit/output', 'toolkit/preview'],
  },
  'toolkit/input': {
    purpose: 'from unknown values and names to typed input',
    rooms: ['domain', 'toolkit', 'toolkit/output'],
  },
  'toolkit/output': {
    purpose: 'pages, projections and checked answers',
    rooms: ['domain', 'toolkit'],
  },
  'toolkit/preview': {
    purpose: 'what a call would do, without doing it',
    rooms: ['domain', 'toolkit', 'toolkit/output'],
  },
  'toolkit/subjects': {
    purpose: 'what the tools of one subject share',
    rooms: ['domain', 'presets', 'toolkit', 'toolkit/input', 'toolkit/output'],
  },
  'toolkit/subjects/set-up': {
    purpose: 'a whole broadcast in one call: its plan, its rows, its answer',
    rooms: ['domain', 'presets', 'toolkit', 'toolkit/input', 'toolkit/output', 'toolkit/subjects'],
  },
};

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
  undici: ['integrations', 'mcp'],
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
