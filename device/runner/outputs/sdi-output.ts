/** SDIOUT: one rendition, decoded, on the first output of the card that takes it. */
import { playerPipeline, sdiArgs } from '../../media/arguments/sdi-args.ts';
import type { RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import { CardPlayer, cardOutputs } from '../process/card-player.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import type { FanOut, PacketSink } from '../stream/fan-out.ts';
import { ProgramView, singleStreams } from '../stream/program-view.ts';
import type { Attempt, AttemptHooks } from './attempt.ts';
import { Publisher } from './publisher.ts';

export interface SdiOptions {
  name: string;
  /** One with video. */
  rendition: RenditionPlan;
}

export function beginSdi(options: SdiOptions, children: ChildProcesses, packets: FanOut, hooks: AttemptHooks): Attempt {
  return firstThatTakes(cardOutputs(), (output, own) => play(options, output, children, packets, own), hooks);
}

/** A connector that is in use, as by an SDI source, refuses: then the next one is tried. */
export function firstThatTakes(
  count: number,
  begin: (output: number, hooks: AttemptHooks) => Attempt,
  hooks: AttemptHooks,
): Attempt {
  const ends: Promise<void>[] = [];
  const open = (output: number): Attempt => {
    let hasShown = false;
    const onUp = (): void => {
      hasShown = true;
      hooks.onUp();
    };
    const onDown: AttemptHooks['onDown'] = (reason, isFinal) => {
      if (hasShown || isFinal === true || output + 1 >= count) return hooks.onDown(reason, isFinal);
      ends.push(current.end());
      current = open(output + 1);
    };
    return begin(output, { onUp, onDown });
  };
  let current = open(0);
  return {
    async end() {
      await Promise.all([...ends, current.end()]);
    },
  };
}

function play(
  { name, rendition }: SdiOptions,
  output: number,
  children: ChildProcesses,
  packets: FanOut,
  hooks: AttemptHooks,
): Attempt {
  const { width, height } = rendition.video!.settings;
  const format = { width, height, rate: rendition.video!.rate };
  const channels = rendition.audio?.form.channels ?? 0;
  const streams = singleStreams(rendition);
  const player = new CardPlayer(children, `${name}-card`, playerPipeline(format, channels, output), output);
  const publisher = player.handOver((stdout) => {
    const plan = {
      name,
      args: sdiArgs(format, channels),
      stdout,
      streams,
      // Who plays out is behind by what it got at once, for as long as it plays: both processes start while it waits for a keyframe.
      openView: (out: (bytes: Buffer) => void) => fromNow(new ProgramView(streams, packets.streams, out)),
      isProven: () => player.hasShown,
      lossOf: () => player.loss,
      explain: () => player.loss,
      isFinal: () => player.isUnfit,
      onGone: () => void player.end(),
    };
    return new Publisher(plan, children, packets, hooks);
  });
  return {
    async end() {
      await publisher.end();
      await player.end();
    },
  };
}

function fromNow(view: PacketSink): PacketSink {
  return { beginsNow: true, write: (run) => view.write(run), flush: () => view.flush() };
}
