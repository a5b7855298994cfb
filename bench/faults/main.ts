/**
 * `npm run faults` harms three servers of one store, their database, two Devices and the lines between them, one fault after the other, while
 * clients write and Live streams are on air. It counts servers that ended by themselves, writes and starts that were lost or done twice, and
 * pictures that are missing. With `--commit=<revision>` all begin with the program as it was then, and are renewed one after the other.
 * `--faults=200` and `--minutes=60` bound it, `--seed` makes the order; `--write` puts the table into docs/figures.md.
 */
import { AssertionError } from 'node:assert';
import { fleetDrill } from '../../test/helpers/fleet-drill.ts';
import { assertUnharmed, drillTable, type DrillFigures } from '../../test/helpers/fleet-figures.ts';
import { tableOf, writeFigures } from '../document.ts';
import { formerProgram } from '../skew/former.ts';

const optionOf = (name: string, otherwise: number): number =>
  Number(new RegExp(`^--${name}=([\\d.]+)$`, 'mu').exec(process.argv.join('\n'))?.[1] ?? otherwise);
const faults = optionOf('faults', 200);
const minutes = optionOf('minutes', 60);

function textOf({ faults: found, writes, starts, onAir, roaming, ended, failed }: DrillFigures): string {
  const rows = found.map(({ name, count, callMs, changeMs }) => {
    const longest = Math.max(0, ...Object.values(callMs).map(({ max }) => max));
    return [name, String(count), (longest / 1000).toFixed(1), (changeMs.max / 1000).toFixed(1)];
  });
  const count = found.reduce((sum, fault) => sum + fault.count, 0);
  const sentences = [
    `${count} faults: ${ended} servers ended by themselves, ${failed.length} calls failed;`,
    `of ${writes.acknowledged} writes ${writes.lost} were lost and ${writes.doubled} done twice,`,
    `of ${starts.planned} scheduled starts ${starts.missed} missed and ${starts.doubled} done twice;`,
    `of ${onAir.pictures} pictures ${onAir.missing} are missing, of which the encoder had no time for ${onAir.leftOut};`,
    `a broadcast moved ${roaming.events} times, ${roaming.moved} of them by order with ${(roaming.longestGapMs / 1000).toFixed(1)} s without a picture at most, and its server had ${roaming.atOnce} sender at once at most.`,
  ];
  const heads = ['Fault', 'Times', 'Longest call near it, s', 'Longest change on air, s'];
  return `${sentences.join(' ')}\n\n${tableOf(heads, rows)}`;
}

const commit = /^--commit=(\S+)$/mu.exec(process.argv.join('\n'))?.[1];
const tasks: (() => unknown)[] = [];
const owner = { after: (task: () => unknown): void => void tasks.push(task) };
const seconds = Math.min(60, minutes * 30);
const former = commit === undefined ? undefined : formerProgram(commit);
try {
  const figures = await fleetDrill(
    owner,
    {
      seconds,
      faults,
      most: minutes * 60,
      pause: 0.5,
      program: former?.program,
      onFault: (number, name) => void process.stderr.write(`${number} of ${faults}: ${name}\n`),
    },
    optionOf('seed', 4_711),
  );
  for (const line of drillTable(figures)) process.stderr.write(`${line}\n`);
  const began = former === undefined ? '' : `All began as commit ${former.name} and were renewed. `;
  const text = `${began}${textOf(figures)}`;
  process.stdout.write(`${text}\n`);
  if (process.argv.includes('--write')) await writeFigures('faults', text);
  assertUnharmed(figures);
} catch (error) {
  process.exitCode = 1;
  process.stderr.write(`faults: ${error instanceof AssertionError ? error.message : String(error)}\n`);
} finally {
  for (const task of tasks.reverse()) await task();
  former?.dispose();
}
