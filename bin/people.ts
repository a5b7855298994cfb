/** The commands for people: they call the same operations as everybody else. */
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '../tools/index.ts';
import { workflows } from '../workflows/index.ts';
import { createCatalogue } from '../toolkit/catalogue.ts';
import type { LivestreamEvent } from '../domain/event.ts';
import type { LivestreamStatusView } from '../domain/run.ts';
import { callOperation } from './api.ts';
import { parseArguments, takeOption } from './arguments.ts';
import { loadConfig } from './config.ts';
import { resolveTarget } from './credentials.ts';
import { table } from './table.ts';
import { usageOf } from './usage.ts';

const catalogue = createCatalogue(operations, workflows);
const STATUS_WORDS = ['off', 'starting', 'ON AIR', 'FAILED'];

export function ask(
  operation: string,
  args: Record<string, unknown>,
  options: { idempotencyKey?: string } = {},
): Promise<unknown> {
  return callOperation(
    resolveTarget(loadConfig({}, process.env, process.cwd())),
    catalogue.get(operation),
    args,
    options,
  );
}

export function print(value: unknown): void {
  process.stdout.write(`${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}\n`);
}

export async function call(operation: string, words: string[], flags: { idempotencyKey?: string }): Promise<void> {
  // Options of the command end where the operation begins; this one is as often written last.
  const { value: idempotencyKey = flags.idempotencyKey, rest } = takeOption(words, '--idempotency-key');
  const tool = catalogue.get(operation);
  if (rest.includes('--help') || rest.includes('-h')) return print(usageOf(tool));
  const args = parseArguments(tool, rest);
  print(await ask(operation, args, idempotencyKey === undefined ? {} : { idempotencyKey }));
}

export function listTools(words: string[]): void {
  const wanted = words.map((word) => word.toLowerCase());
  const rows = [...catalogue.workflows, ...catalogue.operations]
    .filter((tool) =>
      wanted.every((word) =>
        `${tool.name} ${tool.summary} ${tool.tag} ${tool.aliases.join(' ')}`.toLowerCase().includes(word),
      ),
    )
    .map((tool) => [tool.name, tool.rest ?? 'workflow', tool.summary]);
  print(rows.length === 0 ? 'No operation matches.' : table(['OPERATION', 'ROUTE', 'WHAT IT DOES'], rows));
}

export async function createToken(name: string, expiresDays: string | undefined): Promise<void> {
  print(await ask('createApiToken', { name, ...(expiresDays !== undefined && { expires_days: Number(expiresDays) }) }));
}

export async function listTokens(): Promise<void> {
  const { rows } = (await ask('listApiTokens', {})) as {
    rows: { kid: string; name: string; created_at: string; expires_at: string | null }[];
  };
  print(
    table(
      ['KID', 'NAME', 'CREATED', 'EXPIRES'],
      rows.map((row) => [row.kid, row.name, row.created_at, row.expires_at ?? 'never']),
    ),
  );
}

export async function revokeToken(kid: string): Promise<void> {
  print(await ask('revokeApiToken', { kid }));
}

export async function status(livestream: string | undefined): Promise<void> {
  if (livestream !== undefined)
    return print(await ask('get_livestream_status', { livestream: numberOrName(livestream) }));
  const { rows } = (await ask('getLivestreamsStatus', {})) as { rows: LivestreamStatusView[] };
  if (rows.length === 0) return print('There are no Live streams yet. Create one: onair call addLivestream …');
  const lines = rows.map((row) => [
    String(row.livestreamId),
    row.name,
    STATUS_WORDS[row.status] ?? '?',
    row.status === 0 ? '' : `${row.uptime_seconds} s`,
    row.encodings.map((encoding) => `${encoding.fps} fps`).join(' '),
    row.errorstatus ?? row.publishings.map((out) => `${out.name} ${out.primary.state}`).join(', '),
  ]);
  print(table(['ID', 'NAME', 'STATUS', 'FOR', 'RATE', 'DESTINATIONS'], lines));
}

export async function logs(livestream: string): Promise<void> {
  const { livestreamId } = (await ask('get_livestream_status', {
    livestream: numberOrName(livestream),
  })) as LivestreamStatusView;
  for (let page = 1; ; page += 1) {
    const { rows, pagination } = (await ask('getLivestreamEvents', { livestreamId, page, pageSize: 500 })) as {
      rows: LivestreamEvent[];
      pagination: { totalPages: number };
    };
    for (const event of rows)
      print(`${event.at}  ${event.severity.padEnd(7)}  ${event.kind.padEnd(20)}  ${event.message}`);
    if (page >= pagination.totalPages) return;
    await sleep(0);
  }
}

function numberOrName(text: string): number | string {
  return /^\d+$/u.test(text) ? Number(text) : text;
}
