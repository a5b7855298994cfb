/** A run of two sources over UDP, of which the second is the backup of the first. */
import { failoverField, type Failover } from '../../../domain/failover.ts';
import type { RunEvent } from '../../../domain/run.ts';
import type { Attempt } from '../../helpers/attempts.ts';
import { freePort } from '../../helpers/ports.ts';
import { feed, type Feeder } from './feeder.ts';
import { startRunner, type TestRunner } from './runner-fixture.ts';
import { output, QUICK, rendition, runSpec, source } from './specs.ts';

export const [FIRST, BACKUP] = [31, 32];

export interface SourcePair {
  runner: TestRunner;
  first: Feeder;
  again(): Feeder;
  failovers(): RunEvent[];
}

/** `alsoFirst` are further outputs of the first source's ffmpeg. */
export async function sourcePair(
  t: Attempt,
  dir: string,
  clips: readonly [first: string, backup: string],
  options: Partial<Failover>,
  alsoFirst: readonly string[] = [],
): Promise<SourcePair> {
  const ports = [await freePort(), await freePort()] as const;
  const send = (i: 0 | 1, more: readonly string[] = []): Feeder =>
    feed(t, clips[i], '-f', 'mpegts', `udp://127.0.0.1:${ports[i]}?pkt_size=1316`, ...more);
  const udp = (channelId: number, i: 0 | 1) => ({
    ...source('Stream', { url: `udp://127.0.0.1:${ports[i]}` }),
    channelId,
    name: `Channel ${channelId}`,
  });
  const renditions = [rendition(11, 320, 180, 400, QUICK.rendition)];
  const outputs = [output(21, 'HLS / TS', QUICK.output)];
  const spec = {
    ...runSpec('pair', udp(FIRST, 0), outputs, { renditions, startTimeoutSeconds: 25 }),
    backup: udp(BACKUP, 1),
    pair: { first: FIRST, backup: BACKUP },
    failover: failoverField.parse(options),
  };
  const first = send(0, alsoFirst);
  send(1);
  const runner = startRunner(t, dir, spec);
  const failovers = (): RunEvent[] => runner.events().filter(({ kind }) => kind === 'failover');
  return { runner, first, again: () => send(0, alsoFirst), failovers };
}
