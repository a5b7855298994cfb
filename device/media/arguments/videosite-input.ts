/**
 * The input of a VideoSite Live Channel: a program of the Device turns the id into an address, anew for each connection, because addresses
 * expire.
 */
import { urlIssue } from '../../../domain/shapes/sources/channel.ts';
import { streamInput, type IngestInput } from './ingest-args.ts';

/** The setting names the program, which gets the id and prints the address of a stream on its first line. */
export const VIDEOSITE_RESOLVER = 'ONAIR_VIDEOSITE_RESOLVER';

/** An id may begin with a dash, and must not be taken for an option then. */
export function resolverArgs(id: string): string[] {
  return id.startsWith('-') ? ['--', id] : [id];
}

/** Throws Error when the first line is no web address. */
export function resolvedAddress(answer: string): string {
  const [line = ''] = answer.split('\n', 1);
  const url = line.trim();
  const issue = url === '' ? 'is empty' : urlIssue(url, ['http', 'https']);
  if (issue !== undefined) throw new Error(`The first line of the resolver's answer ${issue}.`);
  return url;
}

/** Such an address is a secret whatever it looks like: whoever has it can watch in our name. */
export function resolvedInput(url: string): IngestInput {
  return { ...streamInput(url, true), hidesAddresses: true };
}
