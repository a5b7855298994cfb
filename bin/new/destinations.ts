/** The Destinations of a new broadcast, from --to and the flags that belong to one of them. */
import { readFileSync } from 'node:fs';
import { invalidInput, type FieldIssue } from '../../domain/base/errors.ts';
import type { Template } from '../../domain/shapes/encodings/preset.ts';
import { TEMPLATES } from '../../presets/templates.ts';
import { stdinText } from '../stdin.ts';
import { DESTINATION_ROWS } from '../../domain/types/destination-types.ts';

export interface DestinationFlags {
  to?: string[];
  url?: string[];
  keyFile?: string[];
  key?: string;
}

export interface Destination {
  /** A template or an address, as it was typed. */
  to: string;
  /** undefined for an address. */
  template: Template | undefined;
  url?: string;
  keyFile?: string;
  /** Typed at a terminal, so it is no flag. */
  typedKey?: string;
}

/** Throws AppError invalid_input for a --to that is neither, one that is there twice, and a flag that belongs to none of them. */
export function destinationsOf({ to = [], url = [], keyFile = [], key = '-' }: DestinationFlags): Destination[] {
  if (key !== '-')
    throw refused(
      '--key',
      'takes - alone, and reads the key from stdin: on the command line others see it; or use --key-file',
    );
  const destinations = to.map((each): Destination => ({ to: each, template: templateOf(each) }));
  const twice = to.find((each, at) => to.indexOf(each) < at);
  if (twice !== undefined)
    throw refused('--to', `names ${twice} twice; give the address for one of them: --to rtmps://host/app`);
  for (const [flag, field, values] of [
    ['--url', 'url', url],
    ['--key-file', 'keyFile', keyFile],
  ] as const)
    for (const value of values) {
      const { destination, rest } = ownerOf(flag, value, destinations);
      if (destination[field] !== undefined) throw refused(flag, `is there twice for ${destination.to}`);
      destination[field] = rest;
    }
  return destinations;
}

/** The template that --to names; undefined for an address. Throws AppError invalid_input for neither. */
export function templateOf(to: string): Template | undefined {
  const template = TEMPLATES.find(({ id }) => id === to.trim().toLowerCase());
  if (template !== undefined || to.includes('://')) return template;
  const allowed = TEMPLATES.map(({ id }) => id);
  const message = `must be an address such as rtmp://host/app, or one of ${allowed.join(', ')}`;
  throw invalidInput([{ field: '--to', code: 'invalid_value', message, allowed }]);
}

/** A value for one of several names it, lest a key goes to another platform. */
function ownerOf(flag: string, value: string, all: readonly Destination[]): { destination: Destination; rest: string } {
  const named = all.find(({ to }) => value.startsWith(`${to}=`));
  if (named !== undefined) return { destination: named, rest: value.slice(named.to.length + 1) };
  const [first] = all;
  if (first !== undefined && all.length === 1) return { destination: first, rest: value };
  if (first === undefined) throw refused(flag, 'belongs to a --to, and there is none');
  throw refused(flag, `must say which --to it is for, such as ${flag} ${first.to}=…`);
}

function refused(field: string, message: string): Error {
  return invalidInput([{ field, code: 'invalid_value', message }]);
}

/** The flags that a Destination still needs. */
export function missingOf({ template, url, keyFile, typedKey }: Destination, key: string | undefined): FieldIssue[] {
  if (template === undefined) return [];
  const need = (field: string, message: string): FieldIssue => ({ field, code: 'required', message });
  const needsUrl = template.url === null && DESTINATION_ROWS[template.type].needsUrl && url === undefined;
  const needsKey = template.demands.stream_key && [key, keyFile, typedKey].every((each) => each === undefined);
  return [
    ...(needsUrl ? [need('--url', `is needed: ${template.name} has no address for everybody`)] : []),
    ...(needsKey
      ? [need('--key', `is needed: ${template.name} gives a stream key; use --key-file, or --key - with stdin`)]
      : []),
  ];
}

/** The stream keys by Destination. Of several, each line of stdin names its own: `twitch=live_…`. Rejects with AppError invalid_input. */
export async function keysOf(all: readonly Destination[], key: string | undefined): Promise<Map<Destination, string>> {
  const keys = new Map<Destination, string>();
  const put = (flag: string, destination: Destination, text: string): void => {
    if (text === '') throw invalidInput([{ field: flag, code: 'too_short', message: 'is empty' }]);
    keys.set(destination, text);
  };
  for (const destination of all) {
    const { keyFile, typedKey } = destination;
    if (typedKey !== undefined) put('--key', destination, typedKey);
    else if (keyFile !== undefined) put('--key-file', destination, readKeyFile(keyFile));
  }
  const open = all.filter((each) => !keys.has(each));
  if (key === undefined || open.length === 0) return keys;
  const lines = (await stdinText()).trim().split(/\s*\n\s*/u);
  for (const line of lines) {
    const { destination, rest } = ownerOf('--key', line, all.length === 1 ? all : open);
    put('--key', destination, rest.trim());
  }
  const missing = open.filter((each) => !keys.has(each)).flatMap((each) => missingOf(each, undefined));
  if (missing.length > 0) throw invalidInput(missing);
  return keys;
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw refused('--key-file', `cannot be read: ${(cause as Error).message}`);
  }
}
