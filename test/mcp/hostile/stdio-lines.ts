/** Lines on the stdin of `onair mcp`, and what becomes of them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PROGRAM } from '../../helpers/service.ts';
import { until } from '../../helpers/until.ts';
import type { FaultCheck } from './faults.ts';
import type { ToolShot } from './mcp-shots.ts';

const NOISE = [
  '',
  ' ',
  '{',
  'x',
  '\u0000\u0001',
  '[',
  '\ufeff',
  '{"jsonrpc":"2.0","method":5}',
  '{"jsonrpc":"2.0","id":{},"method":"ping"}',
  '{"jsonrpc":"2.0","id":9,"result":{}}',
  '[1]',
];
const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'hostile', version: '0' } };
const DEEP = `{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"getAllChannels","arguments":{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}}}`;
const LONG = `{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"${'x'.repeat(13 * 1024 ** 2)}"}}`;
/** Requests that are under way at once. */
const WINDOW = 50;

interface Outcome {
  faults: string[];
  /** Requests that were answered. */
  answered: number;
  /** Results without an error, by id. */
  succeeded: Set<unknown>;
}

/** Sends the bodies as lines, with noise between them; every request must be answered, by the protocol alone, and the process lives. */
export async function feed(
  env: NodeJS.ProcessEnv,
  shots: readonly ToolShot[],
  faultCheck: FaultCheck,
): Promise<Outcome> {
  const child = spawn(process.execPath, [PROGRAM, 'mcp'], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const outcome: Outcome = { faults: [], answered: 0, succeeded: new Set() };
  const waiting = new Set<unknown>();
  let rest = '';
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(take);
  });

  function take(line: string): void {
    const faults = faultCheck.faultsOf('stdio', { status: 200, headers: {}, text: line, ms: 0 });
    outcome.faults.push(...faults.map((fault) => `${fault} (${line.slice(0, 200)})`));
    const { id, method, result } = JSON.parse(line) as Record<string, any>;
    if (method !== undefined || !waiting.delete(id)) return;
    outcome.answered += 1;
    if (result !== undefined && result.isError !== true) outcome.succeeded.add(id);
  }

  async function ask(line: string, id: unknown): Promise<void> {
    await until('room for another request', () => waiting.size < WINDOW || child.exitCode !== null);
    waiting.add(id);
    child.stdin.write(`${line}\n`);
  }

  await ask(JSON.stringify({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params: HELLO }), 'hello');
  for (const [at, { body }] of shots.entries()) {
    if (at % 7 === 0) child.stdin.write(`${NOISE[at % NOISE.length]}\n`);
    const line = String(body).replaceAll('\n', ' ');
    const id = idOf(line);
    if (id === undefined) child.stdin.write(`${line}\n`);
    else await ask(line, id);
  }
  await ask(DEEP, 'deep');
  child.stdin.write(`${LONG}\n`);
  await ask('{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"getAllChannels"}}', 'last');
  await until('all answers', () => waiting.size === 0 || child.exitCode !== null).catch(() => undefined);
  if (waiting.size > 0)
    outcome.faults.push(
      `no answer for ${[...waiting].slice(0, 5).join(', ')} of ${waiting.size}: ${errors.slice(-500)}`,
    );
  if (!outcome.succeeded.has('last')) outcome.faults.push('the last call has failed');
  child.stdin.end();
  if (child.exitCode === null) await once(child, 'exit');
  if (child.exitCode !== 0) outcome.faults.push(`onair mcp ended with ${child.exitCode}: ${errors.slice(-500)}`);
  return outcome;
}

/** Id of a request that must be answered; its answer is found by it alone. Frames that are no such request share an id. */
function idOf(body: string): number | undefined {
  try {
    const { id, method } = JSON.parse(body) as Record<string, unknown>;
    return Number.isSafeInteger(id) && Number(id) > 10 && typeof method === 'string' ? Number(id) : undefined;
  } catch {
    return undefined;
  }
}
