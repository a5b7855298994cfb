/** A command that has failed says so on stderr. */
import { AppError, ERROR_CODES, type ErrorCode } from '../domain/base/errors.ts';
import { typed } from './settings/config-folder.ts';
import { exitCodeOf } from './exit-codes.ts';
import { shellWord } from './output/shell.ts';

/** Remedies for a terminal, in place of general ones that speak of things that it does not have. */
const REMEDIES: Partial<Record<ErrorCode, string>> = {
  invalid_input: 'Correct what is named and call again; `onair call <operation> --help` lists the fields.',
  unknown_operation: '`onair tools` lists the operations.',
  unauthenticated:
    'Sign in with `onair login <url>`, or set ONAIR_TOKEN to a valid token of that server; an administrator makes one with `onair token create <name>`.',
  profile_forbidden: 'Use a server whose TOOL_PROFILE allows the operation.',
  confirmation_required: 'Repeat the call with the flag named, set to true.',
  idempotency_mismatch: 'Use another --idempotency-key for other arguments.',
};

export function reportFailure(error: unknown): void {
  process.exitCode = exitCodeOf(error);
  if (error instanceof AppError) process.stderr.write(failureText(error));
  else process.stderr.write(`onair: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
}

export function failureText({ code, message, extras }: AppError): string {
  const general = ERROR_CODES[code]?.remedy;
  const specific = extras.remedy === general ? undefined : extras.remedy;
  const call = extras.facts?.['corrected_call'];
  const lines = [
    `onair: ${message}`,
    ...(extras.upstream === undefined ? [] : [`  upstream: ${extras.upstream}`]),
    ...(isCall(call) ? [`  corrected: ${commandOf(call)}`] : []),
    ...nearestCommands(extras.facts),
    `  ${code}: ${specific ?? REMEDIES[code] ?? general}`,
  ];
  return `${lines.join('\n')}\n`;
}

interface Call {
  name: string;
  arguments: object;
}

function isCall(value: unknown): value is Call {
  return typeof value === 'object' && value !== null && 'name' in value && 'arguments' in value;
}

/** The call as it is typed in a shell; a secret stands there as a placeholder. */
function commandOf({ name, arguments: args }: Call): string {
  const { livestream, ...others } = args as Record<string, unknown>;
  if (name === 'start_livestream' && typeof livestream === 'string' && Object.keys(others).length === 0)
    return `onair start ${shellWord(livestream)}`;
  return `onair call ${name} ${shellWord(JSON.stringify(args))}`;
}

interface Nearest {
  id: number;
  name: string;
  call?: unknown;
}

/** The command for each row that is near to a name which none has. */
function nearestCommands({ nearest, wanted, resource }: Record<string, unknown> = {}): string[] {
  if (!Array.isArray(nearest) || typeof wanted !== 'string') return [];
  return (nearest as Nearest[]).flatMap((row) => {
    const command = retyped(wanted, row, resource) ?? (isCall(row.call) ? commandOf(row.call) : undefined);
    return command === undefined ? [] : [`  if you mean ${JSON.stringify(row.name)}: ${command}`];
  });
}

/** The words of `new` may hold a key; a `call` is answered by its own call, which takes ids. */
const NOT_RETYPED = new Set(['new', 'call']);

/** The command as it was typed, with that row in place of the name; undefined where it is no word of it. */
function retyped(wanted: string, { id, name }: Nearest, resource: unknown): string | undefined {
  const words = typed.words.map((word) => word.trim());
  // The name of the Live stream comes first where it is also that of a Channel.
  const at = resource === 'Channel' ? words.lastIndexOf(wanted.trim()) : words.indexOf(wanted.trim());
  if (at < 0 || words.some((word) => NOT_RETYPED.has(word))) return undefined;
  // A name that begins so would be a flag.
  const word = name.startsWith('-') ? `#${id}` : name;
  return ['onair', ...words.with(at, word)].map(shellWord).join(' ');
}
