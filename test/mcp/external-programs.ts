/** Programs of others that test the MCP API, on the Node that they ask for. scripts/setup.mjs installs them. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TOKEN } from '../helpers/service.ts';

const LOCK = new URL('external-programs/package-lock.json', import.meta.url);
const FOLDER = fileURLToPath(new URL('../../node_modules/.external-programs/', import.meta.url));
const PROGRAMS = join(FOLDER, 'node_modules');
const NODE = join(PROGRAMS, `node-${process.platform}-${process.arch}`, 'bin', 'node');

const PATHS = {
  'conformance 0.1.16': 'conformance-0.1/dist/index.js',
  'conformance 0.2.0-alpha.12': 'conformance-0.2/dist/index.js',
  'mcp-remote 0.15.1': 'mcp-remote/dist/proxy.js',
  'inspector 2.12.0': '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
} as const;
export type ExternalProgram = keyof typeof PATHS;

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** All scenarios of a suite take ten seconds on a busy machine. */
const BOUND_MS = 120_000;

export function assertInstalled(): void {
  const [installed, wanted] = [join(FOLDER, 'package-lock.json'), LOCK].map(textOf);
  const what =
    'The conformance suites and the Inspector are not installed as test/mcp/external-programs/package-lock.json has them.';
  assert.ok(installed === wanted, `${what} Run: node scripts/setup.mjs test (it needs the npm registry).`);
}

function textOf(path: string | URL): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** `home` is where it may keep what it likes. */
export function commandOf(
  program: ExternalProgram,
  words: readonly string[],
  home: string,
): { command: string; args: string[]; env: Record<string, string> } {
  const env = { PATH: `${dirname(NODE)}:${process.env['PATH'] ?? ''}`, HOME: home };
  return { command: NODE, args: [join(PROGRAMS, PATHS[program]), ...words], env };
}

/** It and all that it started are ended when they take too long. `onOutput` gets what it prints, as it does. */
export async function runExternal(
  program: ExternalProgram,
  args: readonly string[],
  home: string,
  onOutput: (text: string) => void = () => undefined,
): Promise<Ended> {
  mkdirSync(home, { recursive: true });
  const { command, args: all, env } = commandOf(program, args, home);
  // A process group of its own, so that it can be ended as a whole.
  const child = spawn(command, all, {
    env,
    cwd: home,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: Ended = { code: null, stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      onOutput(output[name]);
    });
  const endAll = (): void => endGroup(child.pid);
  process.once('exit', endAll);
  const bound = setTimeout(endAll, BOUND_MS);
  try {
    [output.code] = (await once(child, 'close')) as [number | null];
    const what = `${program} ${args.join(' ').replaceAll(TOKEN, '…')} did not end within ${BOUND_MS} ms`;
    assert.notEqual(output.code, null, `${what}:\n${output.stdout}${output.stderr}`);
    return output;
  } finally {
    clearTimeout(bound);
    process.off('exit', endAll);
    endAll();
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody of it is left.
  }
}
