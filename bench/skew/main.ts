/**
 * `npm run skew -- --commit=<revision>` pairs the program with what it was at an earlier commit (left out: a day ago): its Device with this
 * server, and its server with this Device. Of a broadcast on air it prints what viewers missed while something was changed and while the
 * older part was upgraded.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROGRAM } from '../../test/helpers/service.ts';
import { tableOf, writeFigures } from '../document.ts';
import { formerProgram } from './former.ts';
import { Pair, PICTURES } from './pair.ts';

/** A decoder begins with a keyframe, of which there is one a second. */
const AROUND_MS = 2500;

const commit = /^--commit=(\S+)$/mu.exec(process.argv.join('\n'))?.[1];
const rows: string[][] = [];

async function counted(pair: Pair, pairing: string, act: string, run: () => Promise<void>): Promise<void> {
  pair.receiver.forget();
  await sleep(AROUND_MS);
  await run();
  await sleep(AROUND_MS);
  const { missing, silentSeconds } = await pair.receiver.missed(join(pair.service.scratch, 'received.ts'), PICTURES);
  process.stderr.write(`${pairing}, ${act}: ${missing} missing\n`);
  rows.push([pairing, act, String(missing), silentSeconds.toFixed(2)]);
}

const former = formerProgram(commit);
const now = PROGRAM;
const pairings = [
  { name: 'older Device', server: now, device: former.program, upgrade: (pair: Pair) => pair.upgradeAgent(now) },
  { name: 'older server', server: former.program, device: now, upgrade: (pair: Pair) => pair.upgradeServer(now) },
];
try {
  for (const { name, server, device, upgrade } of pairings) {
    const pair = await Pair.open(server, device);
    try {
      await pair.start();
      await counted(pair, name, 'a Destination is turned off and on', () => pair.change());
      await counted(pair, name, 'the older part is upgraded', () => upgrade(pair));
      await counted(pair, name, 'a Destination is turned off and on after that', () => pair.change());
      await pair.stop();
      await pair.start();
      await counted(pair, name, 'stopped, and started anew', () => pair.comes());
    } finally {
      await pair.close();
    }
  }
} finally {
  former.dispose();
}
const text = `Beside commit ${former.name}.\n\n${tableOf(['Pair', 'What happens', 'Pictures missing', 'Nothing came for, s'], rows)}`;
process.stdout.write(`${text}\n`);
if (process.argv.includes('--write')) await writeFigures('skew', text);
