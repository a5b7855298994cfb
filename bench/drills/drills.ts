/** The faults: what is killed or stands still, and how it is seen that all is well again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../test/helpers/until.ts';
import type { Scene } from './scene.ts';

interface Viewers {
  /** They are those `of` this broadcast. */
  of: string;
  broadcast: keyof Scene['ids'];
}

export interface Drill {
  /** As a row of the table says it. */
  name: string;
  /** The viewers who are counted, each with a row of the table. */
  viewers: readonly Viewers[];
  /** Does the harm; resolves when all is well again. */
  run(scene: Scene): Promise<void>;
}

const BOUND_MS = 30_000;
const TOLD_MS = 11_000;

async function kill(pid: number, signal: NodeJS.Signals, successor: () => number | undefined): Promise<void> {
  process.kill(pid, signal);
  await until('a successor', () => ![undefined, pid].includes(successor()), { boundMs: BOUND_MS });
}

const ENCODED: Viewers = { of: 'a broadcast that encodes', broadcast: 'encoded' };

export const DRILLS: readonly Drill[] = [
  {
    name: 'SIGKILL of the control plane',
    viewers: [ENCODED],
    async run({ service, areAllOnAir }) {
      await service.kill('SIGKILL');
      await service.restart();
      await until('on air', areAllOnAir, { boundMs: BOUND_MS });
    },
  },
  {
    name: 'SIGKILL of the Device agent',
    viewers: [ENCODED],
    async run({ agent, areAllOnAir }) {
      await kill(agent(), 'SIGKILL', agent);
      await until('on air', areAllOnAir, { boundMs: BOUND_MS });
    },
  },
  {
    name: 'SIGKILL of both',
    viewers: [ENCODED],
    async run({ service, agent, areAllOnAir }) {
      const before = agent();
      process.kill(before, 'SIGKILL');
      await service.kill('SIGKILL');
      await service.restart();
      await until('another agent', () => agent() !== before, { boundMs: BOUND_MS });
      await until('on air', areAllOnAir, { boundMs: BOUND_MS });
    },
  },
  {
    name: 'SIGKILL of the ffmpeg that encodes',
    viewers: [ENCODED],
    run: ({ encoder }) => kill(encoder(), 'SIGKILL', encoder),
  },
  {
    name: 'SIGSTOP of the ffmpeg that encodes',
    viewers: [ENCODED],
    run: ({ encoder }) => kill(encoder(), 'SIGSTOP', encoder),
  },
  {
    name: 'SIGKILL of the ffmpeg that takes in the source',
    viewers: [ENCODED],
    run: ({ ingest }) => kill(ingest(), 'SIGKILL', ingest),
  },
  {
    name: 'SIGKILL of the runner',
    viewers: [ENCODED],
    run: ({ runner }) => kill(runner(), 'SIGKILL', runner),
  },
  {
    name: 'SIGSTOP of the runner',
    viewers: [ENCODED],
    run: ({ runner }) => kill(runner(), 'SIGSTOP', runner),
  },
  {
    name: 'the RTMP server of another Destination dies and comes back',
    viewers: [ENCODED],
    async run({ rtmp, isRtmpUp }) {
      await rtmp.crash();
      await until('down', async () => !(await isRtmpUp()), { boundMs: BOUND_MS });
      await rtmp.start();
      await until('up again', isRtmpUp, { boundMs: BOUND_MS });
      // A path that was up for a moment is told ten seconds later.
      await sleep(TOLD_MS);
    },
  },
  {
    name: 'SIGKILL of a runner of twenty copies',
    viewers: [
      { of: 'one of the twenty', broadcast: 'shared' },
      { of: 'one of the twenty, by HLS', broadcast: 'sharedHls' },
      ENCODED,
    ],
    run: ({ sharedRunner }) => kill(sharedRunner(), 'SIGKILL', sharedRunner),
  },
];
