/** `onair start` and `onair stop` wait for the outcome; how far it is goes to stderr, with what is in the way. */
import { invalidInput } from '../../domain/base/errors.ts';
import { callServer, type Arguments } from '../client/call.ts';
import type { OperationId } from '../../client/request.ts';
import { printOne, type FormatFlags } from '../output/format.ts';
import { progressLines } from '../output/progress.ts';
import { paint, screenOf, type Tone } from '../output/screen.ts';
import { oneLine } from '../output/terminal.ts';

export interface AirFlags extends FormatFlags {
  wait?: string;
  dryRun?: boolean;
  quiet?: boolean;
}

interface Outcome {
  message: string;
  status: number;
  watch?: { url: string }[];
}

/** A start comes to its end within the time that an encoder has for it, which is shorter. */
const WAIT_SECONDS = '60';
const TONES: readonly Tone[] = ['faint', 'wait', 'good', 'bad'];

export function start(livestream: string, flags: AirFlags): Promise<void> {
  return settle('start_livestream', livestream, flags);
}

export function stop(livestream: string, flags: AirFlags): Promise<void> {
  return settle('stop_livestream', livestream, flags);
}

async function settle(operation: OperationId, livestream: string, flags: AirFlags): Promise<void> {
  const { wait = WAIT_SECONDS, dryRun: dry_run = false } = flags;
  if (!/^\d+$/u.test(wait)) throw invalidInput([{ field: '--wait', code: 'invalid_type', message: 'must be seconds' }]);
  const args: Arguments = { livestream, wait_seconds: Number(wait), dry_run };
  const lines = flags.quiet === true ? undefined : progressLines();
  const outcome = await callServer<Outcome>(operation, args, { progress: lines?.show }).finally(() => lines?.end());
  await printOne(outcome, sayOutcome, flags);
}

function sayOutcome({ message, status, watch = [] }: Outcome): string {
  const lines = [paint(oneLine(message), TONES[status], screenOf()), ...watch.map(({ url }) => `Watch ${url}`)];
  return lines.join('\n');
}
