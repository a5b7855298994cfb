/** A command that has failed says so on stderr. */
import { AppError, ERROR_CODES, type ErrorCode } from '../domain/errors.ts';
import { exitCodeOf } from './exit-codes.ts';
import { shellWord } from './output/shell-word.ts';

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
