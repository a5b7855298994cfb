/**
 * The input of a VideoSite Live Channel: a program of the Device turns the id into an address, anew for each connection, because addresses
 * expire.
 */
import { urlIssue } from '../../../domain/shapes/sources/channel.ts';
import { findProgram } from '../../ffmpeg/programs.ts';
import { streamInput, type IngestInput } from './ingest-args.ts';

/** The setting names the program, which gets the id and prints the address of a stream on its first line. */
export const VIDEOSITE_RESOLVER = 'ONAIR_VIDEOSITE_RESOLVER';

/** It is looked for in PATH where the setting names no program. */
const USUAL_RESOLVER = 'yt-dlp';
/** Debian's package is older than what video sites ask for. */
export const INSTALL_RESOLVER = `${USUAL_RESOLVER} in the PATH of the Device (pipx install ${USUAL_RESOLVER}; the package of Debian is too old for video sites)`;

/** The program of this Device that finds addresses; undefined where there is none. */
export function resolverProgram(setting: string | undefined): string | undefined {
  return findProgram(setting || USUAL_RESOLVER);
}

/** The arguments with which the program that a setting names finds the address of an id; without a setting it is yt-dlp. */
export function resolverArgs(id: string, setting?: string): string[] {
  // An id may begin with a dash, and must not be taken for an option then.
  if (setting) return id.startsWith('-') ? ['--', id] : [id];
  return ['--no-warnings', '--no-playlist', '-g', '-f', 'best', '--', id];
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
