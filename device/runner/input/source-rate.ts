/** Finds the frame rate for "as the source" before a run is planned, because the frame clock has one rate from its first tick on. */
import { withDeadline } from '../../../domain/deadline.ts';
import type { RunSpec } from '../../../domain/run.ts';
import { ingestInput } from '../../media/arguments/source-input.ts';
import { writeAtomic } from '../../atomic-file.ts';
import { reachedSource } from './checked-address.ts';
import type { ChildProcesses } from '../process/child-processes.ts';

/** A file answers in 0.1 s, a live source when its next keyframe has come; the start itself may take 25 s. */
const ASK_MS = 5000;
/** The rates of the field. A rate within a hundredth of one of them is that one: counted over a few frames no rate is exact. */
const RATES = [10, 12, 12.5, 15, 20, 23.976, 24, 25, 29.97, 30, 48, 50, 59.94, 60];

/**
 * Puts the source's rate into the renditions that leave it open, and into the spec's file, so that a restarted runner goes on with the same
 * one. They keep the usual rate when the source cannot be asked (it comes when it wants) or does not say. Never rejects.
 */
export async function settleRates(spec: RunSpec, specFile: string, children: ChildProcesses): Promise<void> {
  const open = spec.renditions.filter(({ fpsOfSource }) => fpsOfSource === true);
  if (open.length === 0) return;
  const rate = canBeAsked(spec) ? await ask(spec, children) : undefined;
  for (const rendition of open) {
    if (rendition.video !== null && rate !== undefined) rendition.video.fps = rate;
    delete rendition.fpsOfSource;
  }
  try {
    writeAtomic(specFile, JSON.stringify(spec));
  } catch {
    // On a full disk a successor would ask again.
  }
}

function canBeAsked({ source: { type, path, settings } }: RunSpec): boolean {
  return (type === 'File' && path !== null) || (type === 'Stream' && settings.url !== undefined);
}

/** ffmpeg without an output only tells what it would read. */
async function ask({ source }: RunSpec, children: ChildProcesses): Promise<number | undefined> {
  try {
    const { args, list, reads = [] } = ingestInput(await reachedSource(source, children.network.reach));
    // The ingest turns this measurement off.
    const measuring = args.map((arg, at) => (args[at - 1] === '-fpsprobesize' ? '-1' : arg));
    const asking = ['-hide_banner', '-nostdin', '-loglevel', 'level+info', ...measuring];
    const child = children.spawn('rate', asking, { feed: list !== undefined, access: { reads }, asksWeb: true });
    if (list !== undefined) child.input(0).end(list.replaceAll(/^option fpsprobesize .*\n/gmu, ''));
    child.output(1)?.resume();
    const lines: string[] = [];
    child.onInfo = (line) => lines.push(line);
    await withDeadline(child.ended, ASK_MS, () => {
      child.kill('SIGKILL');
      return child.ended;
    });
    return rateIn(lines.join('\n'));
  } catch {
    // The ingest reports an address that cannot be opened, and tries again.
    return undefined;
  }
}

/** Finds the rate of the first video that moves, in what ffmpeg says of its input. */
export function rateIn(stderr: string): number | undefined {
  const match = /Video: [^\n]*?, ([\d.]+)(k?) fps/u.exec(stderr);
  if (match === null || match[2] === 'k') return undefined;
  const fps = Number(match[1]);
  // A rate twice as high is a camera's slow motion, of which every second picture is enough.
  return nearest(fps) ?? nearest(fps / 2);
}

function nearest(fps: number): number | undefined {
  const [best] = [...RATES].sort((a, b) => Math.abs(a - fps) - Math.abs(b - fps));
  return Math.abs(best! - fps) <= fps / 100 ? best : undefined;
}
