/** A run of two sources over UDP, of which the second is the backup of the first. */
import { failoverField, type Failover } from '../../../domain/shapes/broadcasts/failover.ts';
import type { OutputSpec, SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { RunEvent } from '../../../domain/shapes/broadcasts/run.ts';
import type { TestScope } from '../../helpers/clean-up.ts';
import { freePort } from '../../helpers/ports.ts';
import { feed, type Feeder } from './feeder.ts';
import { startRunner, type TestRunner } from './runner-fixture.ts';
import { output, QUICK, rendition, runSpec, source } from './specs.ts';

export const [FIRST, BACKUP] = [31, 32];

/** The data of a failover event but for its reason, and those of the way back. */
export const TO_BACKUP = { from: FIRST, to: BACKUP };
export const RETURNED = { reason: 'returned', from: BACKUP, to: FIRST };

export interface SourcePair {
  runner: TestRunner;
  first: Feeder;
  backup: Feeder;
  /** As the run has them. */
  sources: Record<'first' | 'backup', SourceSpec>;
  /** Sends this one anew. */
  again(which?: 'first' | 'backup'): Feeder;
  failovers(): RunEvent[];
}

interface PairMore {
  /** Further outputs of the first source's ffmpeg. */
  alsoFirst?: readonly string[];
  /** Beside the HLS Destination 21. */
  outputs?: readonly OutputSpec[];
}

export async function sourcePair(
  t: TestScope,
  dir: string,
  clips: readonly [first: string, backup: string],
  options: Partial<Failover>,
  { alsoFirst = [], outputs = [] }: PairMore = {},
): Promise<SourcePair> {
  const ports = [await freePort(), await freePort()] as const;
  const send = (i: 0 | 1, more: readonly string[] = []): Feeder =>
    feed(t, clips[i], '-f', 'mpegts', `udp://127.0.0.1:${ports[i]}?pkt_size=1316`, ...more);
  const udp = (channelId: number, i: 0 | 1): SourceSpec => ({
    ...source('Stream', { url: `udp://127.0.0.1:${ports[i]}` }),
    channelId,
    name: `Channel ${channelId}`,
  });
  const renditions = [rendition(11, 320, 180, 400, QUICK.rendition)];
  const all = [output(21, 'HLS / TS', QUICK.output), ...outputs];
  const sources = { first: udp(FIRST, 0), backup: udp(BACKUP, 1) };
  const spec = {
    ...runSpec('pair', sources.first, all, { renditions, startTimeoutSeconds: 60 }),
    backup: sources.backup,
    pair: { first: FIRST, backup: BACKUP },
    failover: failoverField.parse(options),
  };
  const again = (which: 'first' | 'backup' = 'first'): Feeder => (which === 'first' ? send(0, alsoFirst) : send(1));
  const [first, backup] = [again(), again('backup')];
  const runner = startRunner(t, dir, spec);
  const failovers = (): RunEvent[] => runner.events().filter(({ kind }) => kind === 'failover');
  return { runner, first, backup, sources, again, failovers };
}
