/** Who may import whom, and which outside packages belong to which room. The data of imports.spec.ts; docs/architecture.md says why. */

interface Room {
  /** Rooms of ours, itself aside. */
  rooms: readonly string[];
  /** Packages and node modules that are not open to everyone. */
  outside: readonly string[];
}

/** Rooms that may import everything: they wire, generate or test. */
export const OPEN_ROOMS = ['bin', 'scripts', 'test', 'bench'];

export const ROOMS: Record<string, Room> = {
  domain: { rooms: [], outside: ['zod', 'node:crypto'] },
  // Calls of the kernel that Node lacks, for whoever needs one.
  linux: { rooms: ['domain'], outside: ['node:child_process', 'node:fs'] },
  // node:async_hooks: which names a call says, without a parameter through every sentence.
  toolkit: { rooms: ['domain'], outside: ['zod', 'zod-to-json-schema', 'node:crypto', 'node:async_hooks'] },
  tools: { rooms: ['domain', 'toolkit'], outside: ['zod'] },
  workflows: { rooms: ['domain', 'toolkit'], outside: ['zod'] },
  profiles: { rooms: ['domain', 'toolkit'], outside: [] },
  control: { rooms: ['domain'], outside: ['node:crypto'] },
  // What a Schedule starts and stops is audited as a call of the one who made it.
  scheduler: { rooms: ['domain', 'toolkit'], outside: [] },
  store: { rooms: ['domain', 'linux'], outside: ['lowdb', 'node:child_process', 'node:*'] },
  device: {
    rooms: ['domain', 'linux'],
    outside: ['hono', '@hono/node-server', '@napi-rs/canvas', 'node:child_process', 'node:*'],
  },
  auth: { rooms: ['domain', 'toolkit'], outside: ['node:crypto'] },
  integrations: {
    rooms: ['domain'],
    outside: ['@aws-sdk/client-s3', 'basic-ftp', 'fast-xml-parser', 'ssh2-sftp-client', 'undici', 'webdav', 'node:*'],
  },
  system: { rooms: ['domain'], outside: ['jose', 'yazl', 'node:*'] },
  mcp: {
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
  rest: { rooms: ['domain', 'toolkit', 'profiles', 'auth'], outside: ['hono', '@fastify/busboy', 'zod', 'node:*'] },
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
