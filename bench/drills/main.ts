/**
 * `npm run drills` harms broadcasts on air, one fault after the other, and prints what their viewers have missed. With --write it goes into
 * docs/figures.md.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { COUNTED_FPS } from '../../test/helpers/counted.ts';
import { until } from '../../test/helpers/until.ts';
import { spread, tableOf, writeFigures } from '../document.ts';
import { DRILLS, type Drill } from './drills.ts';
import type { Missed } from './receiver.ts';
import { openScene, PICTURES, type Scene } from './scene.ts';

const ROUNDS = 3;
/** A decoder begins with a keyframe, of which there is one a second. */
const BEFORE_MS = 2500;
const AFTER_MS = 4000;

/** Answers what each of the drill's viewers missed. */
async function once(scene: Scene, { viewers, run }: Drill): Promise<Missed[]> {
  const receivers = viewers.map(({ receiver }) => receiver(scene));
  for (const receiver of receivers) receiver.forget();
  await sleep(BEFORE_MS);
  await run(scene);
  const well = performance.now();
  await until('all receive', () => receivers.every((receiver) => receiver.hasSince(well)));
  await sleep(AFTER_MS);
  return receivers.map((receiver) => receiver.missed(join(scene.service.scratch, 'received.ts'), PICTURES));
}

const found = new Map<string, Missed[]>();
const scene = await openScene();
try {
  // Each fault has more than a minute until it comes again: a run's restarts are counted for so long.
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const drill of DRILLS) {
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
  const seconds = all.map(({ silentSeconds }) => silentSeconds);
  return [
    fault,
    of,
    spread(all.map(({ missing }) => missing)),
    spread(all.map(({ repeated }) => repeated)),
    spread(seconds, 2),
  ];
});
const heads = ['Fault', 'Viewers of', 'Pictures missing', 'Pictures repeated', 'Nothing came for, s'];
const text = tableOf(heads, rows);
process.stdout.write(`${text}\n`);
if (process.argv.includes('--write'))
  await writeFigures(
    'drills',
    `${COUNTED_FPS} pictures a second; the median of ${ROUNDS} rounds, and the least and most.\n\n${text}`,
  );
