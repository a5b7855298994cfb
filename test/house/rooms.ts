/** Who may import whom, as docs/architecture.md and docs/rooms.md have it, and which outside packages belong to which room. */
import { textOf } from './sources.ts';

interface Room {
  /** Rooms of ours, itself aside. */
  rooms: readonly string[];
  /** Packages and node modules that are not open to everyone. */
  outside: readonly string[];
}

/** The rows of the table of folders in a document: `| control/ | what lives there | domain | … |`. */
function rowsOf(document: string): [name: string, ...cells: string[]][] {
  const lines = textOf(document).split('\n');
  return lines
    .filter((line) => /^\| [\w/-]+\/ +\|/u.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, name = '', ...cells]) => [name.replace(/\/$/u, ''), ...cells]);
}

const listOf = (cell = ''): string[] => (/^(nothing|–|)$/u.test(cell) ? [] : cell.replaceAll('`', '').split(', '));
const folders = rowsOf('docs/architecture.md');

/** Rooms that may import everything: they wire, generate or test. */
export const OPEN_ROOMS = folders.filter(([, , imports]) => imports === 'everything').map(([name]) => name);

/** The page has its rules in page.spec.ts. */
export const ROOMS: Record<string, Room> = Object.fromEntries(
  folders
    .filter(([name]) => !OPEN_ROOMS.includes(name) && name !== 'web')
    .map(([name, , imports, outside]) => [name, { rooms: listOf(imports), outside: listOf(outside) }]),
);

/** The rooms within rooms: the folders that the files of each import from, itself aside. */
export const SUB_ROOMS: Record<string, { rooms: readonly string[] }> = Object.fromEntries(
  rowsOf('docs/rooms.md').map(([name, , imports]) => [name, { rooms: listOf(imports) }]),
);

/** Folders of domain/ from the ground up: each imports from those below it and from itself. */
export const FLOORS = ['time', 'base', 'network', 'types', 'shapes', 'ports', 'reported', 'rules'];

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
  koffi: ['device/feeder'],
  'zod-to-json-schema': ['toolkit/input'],
  '@aws-sdk/client-s3': ['integrations', 'test'],
  '@aws-sdk/s3-request-presigner': ['integrations'],
  'basic-ftp': ['integrations', 'test'],
  'fast-xml-parser': ['integrations', 'test'],
  'ssh2-sftp-client': ['integrations', 'test'],
  undici: ['integrations', 'mcp'],
  webdav: ['integrations', 'test'],
  jose: ['auth', 'system', 'bin', 'test'],
  yazl: ['system'],
  nodemailer: ['integrations'],
  // flock and fallocate of util-linux do what Node has no call for.
  'node:child_process': ['device', 'linux', 'bin', 'scripts', 'test', 'bench'],
};

/** Packages that one file alone imports, test/, bench/ and scripts/ aside: the objects of two SDKs must never meet. */
export const ADAPTERS: Record<string, string> = {
  '@modelcontextprotocol/sdk': 'mcp/protocol/protocol-2025.ts',
  '@modelcontextprotocol/server': 'mcp/protocol/protocol-2026.ts',
};

/** Folders whose files know nothing of each other; index.ts is the list of them. */
export const SEPARATE_FILES = ['tools', 'workflows'];
