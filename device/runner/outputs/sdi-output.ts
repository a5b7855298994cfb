/** SDIOUT: one rendition, decoded, on the first SDI output of this machine. */
import { NO_SDI, parseSinks, sdiArgs, sdiReason, SINKS_ARGS } from '../../media/arguments/sdi-args.ts';
import type { RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import type { FanOut } from '../stream/fan-out.ts';
import { singleStreams } from '../stream/program-view.ts';
import type { Attempt, AttemptHooks } from './attempt.ts';
import { Publisher } from './publisher.ts';

export interface SdiOptions {
  name: string;
  /** One with video. */
  rendition: RenditionPlan;
}

/** A driver lists its cards within 0.1 s; one that hangs must not hang the path. */
const MAX_PROBE_MS = 5000;

/** Each attempt looks for the cards anew: one that was unplugged may be back. */
export function beginSdi(options: SdiOptions, children: ChildProcesses, packets: FanOut, hooks: AttemptHooks): Attempt {
  const probe = children.spawn(`${options.name}-cards`, SINKS_ARGS, { usesDrivers: true });
  let publisher: Publisher | undefined;
  let over = false;
  let text = '';
  probe.output(1)?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const timer = setTimeout(() => probe.kill('SIGKILL'), MAX_PROBE_MS);
  void probe.ended.then(() => {
    clearTimeout(timer);
    if (over) return;
    const [card] = parseSinks(text);
    if (card === undefined) hooks.onDown(NO_SDI, true);
    else publisher = publish(options, card, children, packets, hooks);
  });
  return {
    async end() {
      over = true;
      await Promise.all([probe.end(0), publisher?.end()]);
    },
  };
}

function publish(
  { name, rendition }: SdiOptions,
  card: string,
  children: ChildProcesses,
  packets: FanOut,
  hooks: AttemptHooks,
) {
  const { width, height } = rendition.video!.settings;
  const frames = { width, height, rate: rendition.video!.rate };
  const plan = {
    name,
    args: sdiArgs(frames, rendition.audio !== undefined, card),
    usesDrivers: true as const,
    streams: singleStreams(rendition),
    // The card takes frames by its own clock: time that has passed there has been on its output.
    isProven: ({ outSeconds }: { outSeconds: number }): boolean => outSeconds > 0,
    explain: sdiReason,
    isFinal: (words: string) => sdiReason(words) === NO_SDI,
  };
  return new Publisher(plan, children, packets, hooks);
}
