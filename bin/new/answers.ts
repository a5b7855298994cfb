/** The answers about a new broadcast: from the flags, completed by the questions of a terminal. */
import { readFileSync } from 'node:fs';
import { toIso } from '../../domain/clock.ts';
import { invalidInput, type FieldIssue } from '../../domain/errors.ts';
import type { LadderId } from '../../domain/preset-ids.ts';
import type { Template } from '../../domain/preset.ts';
import { TEMPLATES } from '../../presets/templates.ts';
import { target } from '../target.ts';
import { NoAnswer } from '../exit-codes.ts';
import type { FormatFlags } from '../output/format.ts';
import { serverZone } from '../server-zone.ts';
import { parseTime } from '../times.ts';

export interface NewFlags extends FormatFlags {
  name?: string;
  source?: string;
  to?: string;
  url?: string;
  keyFile?: string;
  key?: string;
  quality?: LadderId;
  record?: boolean;
  when?: string;
  end?: string;
  recurrence: string;
  start?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

/** The flags with the answers of a person; a key that was typed is no flag. */
export interface NewAnswers extends NewFlags {
  typedKey?: string;
}

/** Long enough for most shows; the plan says it. */
const USUAL_LENGTH = '+2h';

/** The template that --to names; undefined for an address. Throws AppError invalid_input for neither. */
export function templateOf(to: string): Template | undefined {
  const template = TEMPLATES.find(({ id }) => id === to.trim().toLowerCase());
  if (template !== undefined || to.includes('://')) return template;
  const allowed = TEMPLATES.map(({ id }) => id);
  const message = `must be an address such as rtmp://host/app, or one of ${allowed.join(', ')}`;
  throw invalidInput([{ field: '--to', code: 'invalid_value', message, allowed }]);
}

/** The flags that are still needed. */
export function missingOf(answers: NewAnswers): FieldIssue[] {
  const { source, to, url, key, keyFile, typedKey } = answers;
  const need = (field: string, message: string): FieldIssue => ({ field, code: 'required', message });
  if (source === undefined || to === undefined)
    return [
      ...(source === undefined ? [need('--source', 'is needed: a file, URL, Channel, rtmp-push or srt-listen')] : []),
      ...(to === undefined ? [need('--to', 'is needed: a template of listPresets, or an address')] : []),
    ];
  const template = templateOf(to);
  if (template === undefined) return [];
  const needsUrl = template.url === null && template.type !== 'HLS / TS' && url === undefined;
  const needsKey = template.demands.stream_key && key === undefined && keyFile === undefined && typedKey === undefined;
  return [
    ...(needsUrl ? [need('--url', `is needed: ${template.name} has no address for everybody`)] : []),
    ...(needsKey
      ? [need('--key', `is needed: ${template.name} gives a stream key; use --key-file, or --key - with stdin`)]
      : []),
  ];
}

/** The stream key; undefined without one. Throws AppError invalid_input. */
export async function keyOf({ key, keyFile, typedKey }: NewAnswers): Promise<string | undefined> {
  if (typedKey !== undefined) return typedKey;
  if (key !== undefined && key !== '-') {
    const message = 'takes - alone, and reads the key from stdin: on the command line others see it; or use --key-file';
    throw invalidInput([{ field: '--key', code: 'invalid_value', message }]);
  }
  if (key === undefined && keyFile === undefined) return undefined;
  const text = (keyFile === undefined ? await readStdin() : readKeyFile(keyFile)).trim();
  if (text !== '') return text;
  throw invalidInput([
    { field: keyFile === undefined ? '--key' : '--key-file', code: 'too_short', message: 'is empty' },
  ]);
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const message = `cannot be read: ${(cause as Error).message}`;
    throw invalidInput([{ field: '--key-file', code: 'invalid_value', message }]);
  }
}

async function readStdin(): Promise<string> {
  let text = '';
  process.stdin.setEncoding('utf8');
  for await (const chunk of process.stdin) text += chunk as string;
  return text;
}

export interface SentTimes {
  start_at?: string;
  end_at?: string;
  recurrence?: string;
  timezone?: string;
}

/** A slow server still tells its zone; another zone would be another hour. */
const ZONE_MS = 10_000;

/** The arguments of the call for a broadcast by the clock; none without --when. The zone is that of the server. */
export async function timesOf({ when, end, recurrence }: NewAnswers): Promise<SentTimes> {
  if (when === undefined) {
    if (end === undefined && recurrence === 'none') return {};
    throw invalidInput([{ field: '--when', code: 'required', message: 'is needed with --end and --recurrence' }]);
  }
  const { url } = target();
  const zone = await serverZone(url, ZONE_MS).catch(() => undefined);
  if (zone === undefined)
    throw new NoAnswer(`The server at ${url} does not tell its time zone, by which ${when} is meant.`);
  const nowMs = Date.now();
  const startMs = parseTime(when, { nowMs, zone, field: '--when' });
  const endMs = parseTime(end ?? USUAL_LENGTH, { nowMs, zone, startMs, field: '--end' });
  return { start_at: toIso(startMs), end_at: toIso(endMs), recurrence, timezone: zone };
}
