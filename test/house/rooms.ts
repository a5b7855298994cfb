/** Who may import whom, and which outside packages belong to which room. The data of imports.spec.ts; docs/architecture.md says why. */

interface Room {
  /** The sentence of docs/architecture.md about what lives there. */
  purpose: string;
  /** Rooms of ours, itself aside. */
  rooms: readonly string[];
  /** Packages and node modules that are not open to everyone. */
  outside: readonly string[];
}

/** Rooms that may import everything: they wire, generate or test. */
export const OPEN_ROOMS = ['bin', 'scripts', 'test', 'bench'];

/** The folders beside the rooms, in the words of docs/architecture.md; the page in web/ imports nothing of ours. */
export const OTHER_PURPOSES: Record<string, string> = {
  bin: 'the CLI and the only wiring',
  web: 'the page that plays a stream',
  scripts: 'set-up, build, generators, demo',
  bench: 'measurements, each a ratio to a baseline of the same run',
  test: 'tests by room, whole broadcasts in e2e/, the rules of the house in house/',
};

export const ROOMS: Record<string, Room> = {
  domain: {
    purpose:
      'shapes and rules: resource schemas, states, capacity, back-off, errors, and the ports to store, Device, clock and control',
    rooms: [],
    outside: ['zod', 'node:crypto'],
  },
  linux: {
    purpose: 'calls of the kernel that Node does not have, by util-linux: the lock of a file (flock)',
    rooms: ['domain'],
    outside: ['node:child_process', 'node:fs'],
  },
  // node:async_hooks: which names a call says, without a parameter through every sentence.
  toolkit: {
    purpose: 'what a tool is and how one call runs',
    rooms: ['domain'],
    outside: ['zod', 'zod-to-json-schema', 'node:crypto', 'node:async_hooks'],
  },
  tools: {
    purpose: 'one REST operation a file, file name = operationId',
    rooms: ['domain', 'toolkit'],
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
    outside: ['node:crypto'],
  },
  // What a Schedule starts and stops is audited as a call of the one who made it.
  scheduler: {
    purpose: 'what happens by itself because its time has come',
    rooms: ['domain', 'toolkit'],
    outside: [],
  },
  store: {
    purpose: 'lowdb behind a journal, and an in-memory twin, behind one interface',
    rooms: ['domain', 'linux'],
    outside: ['lowdb', 'node:child_process', 'node:*'],
  },
  device: {
    purpose: 'all that runs on an encoder machine',
    rooms: ['domain', 'linux'],
    outside: ['hono', '@hono/node-server', '@napi-rs/canvas', 'node:child_process', 'node:*'],
  },
  assets: {
    purpose: 'the library of media files: upload, probe, clips; it runs in the control plane',
    rooms: ['domain', 'device'],
    outside: ['node:*'],
  },
  auth: {
    purpose: 'tokens, sessions and their throttle, the first user',
    rooms: ['domain', 'toolkit'],
    outside: ['node:crypto'],
  },
  integrations: {
    purpose: 'folders, key servers, the cloud platform, transcription, over their own protocols',
    rooms: ['domain'],
    outside: ['@aws-sdk/client-s3', 'basic-ftp', 'fast-xml-parser', 'ssh2-sftp-client', 'undici', 'webdav', 'node:*'],
  },
  system: {
    purpose: 'this installation: licence files, the support bundle',
    rooms: ['domain'],
    outside: ['jose', 'yazl', 'node:*'],
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
      'node:http',
      'node:https',
    ],
  },
  rest: {
    purpose: 'REST, generated from the tools; OpenAPI, metrics, the routes of the page',
    rooms: ['domain', 'toolkit', 'profiles', 'auth'],
    outside: ['hono', '@fastify/busboy', 'zod', 'node:*'],
  },
};

/** Packages that only the rooms named may import, open rooms included: bin/ wires, nothing else of ours does. */
export const RESERVED: Record<string, readonly string[]> = {
  '@modelcontextprotocol/sdk': ['mcp', 'scripts', 'test', 'bench'],
  '@modelcontextprotocol/server': ['mcp'],
  '@modelcontextprotocol/client': ['test'],
  hono: ['rest', 'device', 'bin', 'test', 'bench'],
  '@hono/node-server': ['device', 'bin', 'test', 'bench'],
  lowdb: ['store', 'test', 'bench'],
  commander: ['bin'],
  pino: ['bin'],
  minisearch: ['mcp'],
  'zod-to-json-schema': ['toolkit'],
  '@aws-sdk/client-s3': ['integrations', 'test'],
  'basic-ftp': ['integrations', 'test'],
  'fast-xml-parser': ['integrations', 'test'],
  'ssh2-sftp-client': ['integrations', 'test'],
  undici: ['integrations'],
  webdav: ['integrations', 'test'],
  jose: ['system', 'bin', 'test'],
  yazl: ['system'],
  // flock and fallocate of util-linux do what Node has no call for.
  'node:child_process': ['device', 'linux', 'store', 'bin', 'scripts', 'test', 'bench'],
};

/** Packages that one file alone imports, test/, bench/ and scripts/ aside: the objects of two SDKs must never meet. */
export const ADAPTERS: Record<string, string> = {
  '@modelcontextprotocol/sdk': 'mcp/protocol/protocol-2025.ts',
  '@modelcontextprotocol/server': 'mcp/protocol/protocol-2026.ts',
};

/** Folders whose files know nothing of each other; index.ts is the generated list. */
export const SEPARATE_FILES = ['tools', 'workflows'];
