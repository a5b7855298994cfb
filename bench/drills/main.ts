/**
 * `npm run drills` harms broadcasts on air, one fault after the other, and prints what their viewers have missed. With --write it goes into
 * docs/figures.md. `--rounds=3` is how often, and `--only=runner` takes the faults with that in their names.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { COUNTED_FPS } from '../../test/helpers/counted.ts';
import { until } from '../../test/helpers/until.ts';
import { spread, tableOf, writeFigures } from '../document.ts';
import { DRILLS, type Drill } from './drills.ts';
import type { Missed } from './receiver.ts';
import { openScene, PICTURES, type Scene } from './scene.ts';

const [, given] = /--rounds=(\d+)/u.exec(process.argv.join(' ')) ?? [];
const ROUNDS = Number(given ?? 3);
const only = /^--only=(.+)$/mu.exec(process.argv.join('\n'))?.[1] ?? '';
/** A decoder begins with a keyframe, of which there is one a second. */
const BEFORE_MS = 2500;
const AFTER_MS = 4000;

/** The words of getRunReport about a drill. */
interface Reported {
  /** Kinds of the events that it has of this time. */
  causes: string;
  /** The first event or loss, in seconds after the harm. */
  offSeconds: number | undefined;
  /** Pictures that it says were lost. */
  pictures: number;
}

interface ReportAnswer {
  missed: { from: string; pictures: number | null }[];
  timeline: { at: string; since: string | null; kind: string }[];
}

async function reportedOf({ service }: Scene, livestreamId: number, harmedAtMs: number): Promise<Reported> {
  const from = new Date(harmedAtMs - 1000).toISOString();
  const { body } = await service.rest('GET', `/livestreams/${livestreamId}/report?from=${from}&limit=100`);
  const { missed, timeline } = (body as { data: ReportAnswer }).data;
  const instants = [...missed.map((each) => each.from), ...timeline.map(({ at, since }) => since ?? at)].map((at) =>
    Date.parse(at),
  );
  return {
    causes: [...new Set(timeline.map(({ kind }) => kind))].join(', ') || 'nothing',
    offSeconds: instants.length === 0 ? undefined : (Math.min(...instants) - harmedAtMs) / 1000,
    pictures: missed.reduce((sum, each) => sum + (each.pictures ?? 0), 0),
  };
}

type Row = Missed & Reported;

/** Answers what each of the drill's viewers missed, and what the report says of it. */
async function once(scene: Scene, { viewers, run }: Drill): Promise<Row[]> {
  const receivers = viewers.map(({ broadcast }) => scene[broadcast]);
  for (const receiver of receivers) receiver.forget();
  await sleep(BEFORE_MS);
  const harmedAtMs = Date.now();
  await run(scene);
  const well = performance.now();
  await until('all receive', () => receivers.every((receiver) => receiver.hasSince(well)));
  await sleep(AFTER_MS);
  const rows: Row[] = [];
  for (const [at, receiver] of receivers.entries()) {
    const missed = await receiver.missed(join(scene.service.scratch, 'received.ts'), PICTURES);
    const reported = await reportedOf(scene, scene.ids[viewers[at]!.broadcast], harmedAtMs);
    rows.push({ ...missed, ...reported });
  }
  return rows;
}

const found = new Map<string, Row[]>();
const scene = await openScene();
try {
  // Each fault has more than a minute until it comes again: a run's restarts are counted for so long.
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const drill of DRILLS.filter(({ name }) => name.includes(only))) {
      process.stderr.write(`round ${round} of ${ROUNDS}: ${drill.name}\n`);
      const all = await once(scene, drill);
      for (const [at, missed] of all.entries()) {
        const row = JSON.stringify([drill.name, drill.viewers[at]!.of]);
        found.set(row, [...(found.get(row) ?? []), missed]);
      }
      await until('all on air', () => scene.areAllOnAir());
    }
  }
} finally {
  await scene.dispose();
}

const rows = [...found].map(([row, all]) => {
  const [fault, of] = JSON.parse(row) as [string, string];
  const seconds = all.flatMap(({ silentSeconds }) => silentSeconds ?? []);
  const offs = all.flatMap(({ offSeconds }) => offSeconds ?? []);
  return [
    fault,
    of,
    spread(all.map(({ missing }) => missing)),
    spread(all.map(({ repeated }) => repeated)),
    seconds.length === 0 ? '–' : spread(seconds, 2),
    [...new Set(all.map(({ causes }) => causes))].join('; '),
    offs.length === 0 ? '–' : spread(offs, 2),
    spread(all.map(({ pictures }) => pictures)),
  ];
});
const heads = [
  ...['Fault', 'Viewers of', 'Pictures missing', 'Pictures repeated', 'Nothing came for, s'],
  ...['The report has', 'which begins after, s', 'and pictures lost'],
];
const text = tableOf(heads, rows);
process.stdout.write(`${text}\n`);
if (process.argv.includes('--write'))
  await writeFigures(
    'drills',
    `${COUNTED_FPS} pictures a second; the median of ${ROUNDS} rounds, and the least and most.\n\n${text}`,
  );
