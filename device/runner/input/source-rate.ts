/**
 * Finds what a run leaves to its source before it is planned: the frame rate, because the frame clock has one from its first tick on, and
 * the audio tracks, because the outputs keep their shape.
 */
import { withDeadline } from '../../../domain/deadline.ts';
import type { RunSpec } from '../../../domain/run.ts';
import { allTracks, type AudioTrack } from '../../../domain/audio-tracks.ts';
import { NO_FACTS, tracksIn, withLine } from '../../media/ffmpeg-output/source-facts.ts';
import { ingestInput } from '../../media/arguments/source-input.ts';
import { writeAtomic } from '../../atomic-file.ts';
import { reachedSource } from './checked-address.ts';
import type { ChildProcesses } from '../process/child-processes.ts';

/** A file answers in 0.1 s, a live source when its next keyframe has come; the start itself may take 25 s. */
const ASK_MS = 5000;
/** The rates of the field. A rate within a hundredth of one of them is that one: counted over a few frames no rate is exact. */
const RATES = [10, 12, 12.5, 15, 20, 23.976, 24, 25, 29.97, 30, 48, 50, 59.94, 60];

/**
 * Puts the source's rate into the renditions that leave it open, its audio tracks into a spec that lists none, and both into the spec's
 * file, so that a restarted runner goes on with the same ones. They keep the usual rate and one track when the source cannot be asked (it
 * comes when it wants) or does not say. Never rejects.
 */
export async function settleSource(spec: RunSpec, specFile: string, children: ChildProcesses): Promise<void> {
  const open = spec.renditions.filter(({ fpsOfSource }) => fpsOfSource === true);
  // A file is asked at no cost; another connection to a live source delays the start.
  const isAsked = open.length > 0 || (areTracksOpen(spec) && spec.source.type === 'File');
  if (!isAsked) return;
  const words = canBeAsked(spec) ? await ask(spec, children) : '';
  const rate = rateIn(words);
  if (areTracksOpen(spec)) spec.audio = audioIn(words, spec.source.settings.program);
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

/** A Channel whose settings choose one track has that one. */
function areTracksOpen({ audio = [], source, renditions }: RunSpec): boolean {
  const hasSound = renditions.some((rendition) => rendition.audio !== null);
  return audio.length === 0 && hasSound && source.settings.audiotrack === undefined;
}

/** One track of which nothing is said needs no list. */
function audioIn(words: string, program: number | undefined): AudioTrack[] {
  const found = tracksIn(words.split('\n').reduce(withLine, NO_FACTS), program);
  const languages = found.map(({ language }) => language ?? null);
  return languages.length === 1 && languages[0] === null ? [] : allTracks(languages);
}

function canBeAsked({ source: { type, path, settings } }: RunSpec): boolean {
  return (type === 'File' && path !== null) || (type === 'Stream' && settings.url !== undefined);
}

/** ffmpeg without an output only tells what it would read. */
async function ask({ source }: RunSpec, children: ChildProcesses): Promise<string> {
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
    return lines.join('\n');
  } catch {
    // The ingest reports an address that cannot be opened, and tries again.
    return '';
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
