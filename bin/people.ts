/** The commands for people call the same operations as everybody else. */
import type { TokenScope } from '../domain/security.ts';
import { operations } from '../tools/index.ts';
import { workflows } from '../workflows/index.ts';
import { createCatalogue } from '../toolkit/catalogue.ts';
import { restOf } from '../toolkit/tool.ts';
import { callOperation, type CallOptions } from './api.ts';
import { parseArguments, takeFlag, takeOption } from './arguments.ts';
import { target } from './credentials.ts';
import { progressLines } from './progress.ts';
import { table } from './table.ts';
import { usageOf } from './usage.ts';

const catalogue = createCatalogue(operations, workflows);

export function callTool(
  operation: string,
  args: Record<string, unknown>,
  options: CallOptions = {},
): Promise<unknown> {
  const tool = catalogue.get(operation);
  return callOperation(target(), tool, args, options);
}

export function print(value: unknown): void {
  process.stdout.write(`${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}\n`);
}

export interface CallFlags {
  idempotencyKey?: string;
  quiet?: boolean;
}

export async function call(operation: string, words: string[], flags: CallFlags): Promise<void> {
  // Options of the command end where the operation begins, but these are as often written last.
  const keyed = takeOption(words, '--idempotency-key');
  const { isSet, rest } = takeFlag(keyed.rest, ['-q', '--quiet']);
  const { value: idempotencyKey = flags.idempotencyKey } = keyed;
  const tool = catalogue.find(operation);
  if (tool !== undefined && (rest.includes('--help') || rest.includes('-h'))) return print(usageOf(tool));
  const args = tool === undefined ? await unknownArguments(operation, rest) : parseArguments(tool, rest);
  const lines = isSet || flags.quiet === true ? undefined : progressLines();
  const options = { progress: lines?.show, ...(idempotencyKey !== undefined && { idempotencyKey }) };
  try {
    const answer = await callTool(operation, args ?? {}, options).finally(() => lines?.end());
    print(answer);
  } catch (error) {
    const { correctedCall } = await import('./correction.ts');
    throw await correctedCall(error, operation, args, catalogue, callTool);
  }
}

/** The answer is that there is no such operation, so arguments that cannot be parsed are no error of their own here. */
async function unknownArguments(operation: string, words: string[]): Promise<Record<string, unknown> | undefined> {
  const { inputMeant } = await import('./correction.ts');
  try {
    return parseArguments({ input: inputMeant(operation, catalogue) }, words);
  } catch {
    // The answer that there is no such operation is given without the arguments.
    return undefined;
  }
}

export function listTools(words: string[]): void {
  const queryWords = words.map((word) => word.toLowerCase());
  const rows = [...catalogue.workflows, ...catalogue.operations]
    .filter((tool) =>
      queryWords.every((word) =>
        `${tool.name} ${tool.summary} ${tool.tag} ${tool.aliases.join(' ')}`.toLowerCase().includes(word),
      ),
    )
    .map((tool) => [tool.name, restOf(tool), tool.summary]);
  print(rows.length === 0 ? 'No operation matches.' : table(['OPERATION', 'ROUTE', 'WHAT IT DOES'], rows));
}

export interface TokenFlags {
  expiresDays?: string;
  profile?: string;
  operations?: string;
}

export async function createToken(name: string, flags: TokenFlags): Promise<void> {
  const { expiresDays, profile, operations: names } = flags;
  const limits = {
    ...(expiresDays !== undefined && { expires_days: Number(expiresDays) }),
    ...(profile !== undefined && { profile }),
    ...(names !== undefined && { operations: names.split(',').map((operation) => operation.trim()) }),
  };
  print(await callTool('createApiToken', { name, ...limits }));
}

export async function listTokens(): Promise<void> {
  const { rows } = (await callTool('listApiTokens', {})) as {
    rows: (TokenScope & { kid: string; name: string; created_at: string; expires_at: string | null })[];
  };
  print(
    table(
      ['KID', 'NAME', 'CREATED', 'EXPIRES', 'PROFILE', 'OPERATIONS'],
      rows.map((row) => [
        row.kid,
        row.name,
        row.created_at,
        row.expires_at ?? 'never',
        row.profile ?? 'any',
        row.operations?.join(' ') ?? 'all',
      ]),
    ),
  );
}

export async function revokeToken(kid: string): Promise<void> {
  print(await callTool('revokeApiToken', { kid }));
}

/** People name a Live stream by its id or by its name. */
export function numberOrName(text: string): number | string {
  return /^\d+$/u.test(text) ? Number(text) : text;
}
