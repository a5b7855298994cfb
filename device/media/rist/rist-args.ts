/** Arguments of RIST: of the ingest, and of the publisher that gets the fan-out's transport stream on stdin. */
import type { RistSettings } from '../../../domain/network/rist.ts';
import { inputRules, LIVE_FORMATS } from '../../ffmpeg/input-rules.ts';
import {
  concatList,
  listArgs,
  LIVE_PROBE,
  NO_MORE_PROGRAMS,
  UNMEASURED,
  type IngestInput,
} from '../arguments/ingest-args.ts';
import { presetOf } from '../arguments/preset.ts';
import { bytesIn, bytesOut } from '../arguments/publisher-args.ts';

/** The relay's port is free again at once. */
const LISTEN_AGAIN_MS = 100;

function optionsOf({ profile, buffer_ms, secret, key_bits }: RistSettings): Record<string, string> {
  return {
    rist_profile: profile,
    buffer_size: String(buffer_ms),
    ...(secret !== null && { encryption: String(key_bits) }),
  };
}

/** The address is that of the relay (device/runner/rist/). A secret goes through the list on stdin: no process list shows it. */
export function ristInput(url: string, rist: RistSettings): IngestInput {
  const options = optionsOf(rist);
  const flags = Object.entries(options).flatMap(([name, value]) => [`-${name}`, value]);
  const rules = inputRules({ protocols: 'rist', formats: LIVE_FORMATS });
  const opened =
    rist.secret === null
      ? { args: [...rules, ...LIVE_PROBE, ...NO_MORE_PROGRAMS, ...flags, '-i', url], list: undefined }
      : {
          args: [...LIVE_PROBE, ...listArgs('rist')],
          list: concatList(url, LIVE_FORMATS, { ...UNMEASURED, ...options, secret: rist.secret }),
        };
  // A receiver that calls waits as one that listens: both are there before their sender.
  return { ...opened, comesLive: true, listens: { againMs: LISTEN_AGAIN_MS } };
}

/** Lines for -fpre: the secret, read from a private file. */
export function ristPreset({ secret }: RistSettings): string {
  return presetOf({ secret: secret ?? '' });
}

/** librist says at this level who has answered. */
export function ristArgs(url: string, settings: RistSettings, presetFile: string): string[] {
  const flags = Object.entries(optionsOf(settings)).flatMap(([name, value]) => [`-${name}`, value]);
  const quiet = bytesIn.indexOf('-loglevel');
  const loud = bytesIn.map((arg, at) => (at === quiet + 1 ? 'level+verbose' : arg));
  const preset = settings.secret === null ? [] : ['-fpre', presetFile];
  return [...loud, '-nostats', ...['-flush_packets', '0'], ...bytesOut, ...flags, ...preset, url];
}
