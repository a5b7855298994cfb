/** SDIOUT: one rendition, decoded, on the first SDI output of this machine. */
import { NO_SDI, parseSinks, sdiArgs, sdiReason, SINKS_ARGS } from '../../media/arguments/sdi-args.ts';
import type { RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import type { Attempt, AttemptHooks } from './destination-path.ts';
import type { FanOut } from '../stream/fan-out.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import { viewStreams } from '../stream/program-view.ts';
import { Publisher } from './publisher.ts';

export interface SdiOptions {
  name: string;
  /** With a picture. */
  rendition: RenditionPlan;
}

/** Asking a driver for its cards takes 0.1 s; one that hangs must not hang the path. */
const ASK_MS = 5000;

/** The cards are asked for at each attempt: one that was unplugged may be back. */
export function beginSdi(options: SdiOptions, children: ChildProcesses, fanOut: FanOut, hooks: AttemptHooks): Attempt {
  const asking = children.spawn(`${options.name}-cards`, SINKS_ARGS, { usesDrivers: true });
  let publisher: Publisher | undefined;
  let over = false;
  let text = '';
  asking.output(1)?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const patience = setTimeout(() => asking.kill('SIGKILL'), ASK_MS);
  void asking.ended.then(() => {
    clearTimeout(patience);
    if (over) return;
    const [card] = parseSinks(text);
    if (card === undefined) hooks.onDown(NO_SDI, true);
    else publisher = publish(options, card, children, fanOut, hooks);
  });
  return {
    async end() {
      over = true;
      await Promise.all([asking.end(0), publisher?.end()]);
    },
  };
}

function publish(
  { name, rendition }: SdiOptions,
  card: string,
  children: ChildProcesses,
  fanOut: FanOut,
  hooks: AttemptHooks,
) {
  const { width, height } = rendition.video!.settings;
  const picture = { width, height, rate: rendition.video!.rate };
  const plan = {
    name,
    args: sdiArgs(picture, rendition.audio !== undefined, card),
    usesDrivers: true as const,
    streams: viewStreams(rendition),
    // The card takes frames by its own clock: time that has passed there has been shown.
    isProven: ({ outSeconds }: { outSeconds: number }): boolean => outSeconds > 0,
    explain: sdiReason,
    isFinal: (words: string) => sdiReason(words) === NO_SDI,
  };
  return new Publisher(plan, children, fanOut, hooks);
}
