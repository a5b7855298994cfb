/** Runs the pipeline of a card, says in JSON what it says, and looks for what is missing where it does not begin. */
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { launchOther } from '../ffmpeg/launch.ts';
import { GSTREAMER, lastOf, whatIsMissing } from './card-equipment.ts';
import { cardPipeline, CHANNEL_COUNTS, saidByCard, type CardOrder } from './card-pipeline.ts';
import { say } from './feed-lines.ts';
import { FeederFailure, FeederUnfit } from './failures.ts';

const MEDIA_FD = 3;
/** A card without a signal begins, and gives nothing: whoever waits for the first picture says so. */
const NO_SIGNAL_MS = 5000;
const KEPT_LINES = 20;

interface Ended {
  /** Media has come. */
  hasBegun: boolean;
  code: number | null;
  complaints: string;
}

/** Resolves when the input has another format; rejects with FeederFailure. */
export async function feedCard(order: CardOrder): Promise<void> {
  let words = '';
  for (const channels of CHANNEL_COUNTS) {
    const { hasBegun, code, complaints } = await run(order, channels);
    // A pipeline that ends in order, or at a change of its format, is begun anew.
    if (hasBegun && (code === 0 || /caps|negotiat/iu.test(complaints))) return;
    if (hasBegun) throw new FeederFailure(`The card has stopped: ${lastOf(complaints)}`);
    if (/no signal/u.test(complaints)) throw new FeederFailure(`Input ${order.input} of the card has no signal.`);
    words = complaints;
  }
  const missing = whatIsMissing(words);
  if (missing !== undefined) throw new FeederUnfit(missing);
  throw new FeederFailure(`Input ${order.input} of the card cannot be opened: ${lastOf(words)}`);
}

async function run(order: CardOrder, channels: number): Promise<Ended> {
  const child = launchOther(GSTREAMER, ['-v', ...cardPipeline(order, channels)], ['ignore', 'pipe', 'pipe', MEDIA_FD]);
  const ended: Ended = { hasBegun: false, code: null, complaints: '' };
  const lines: string[] = [];
  const complain = (line: string): void => {
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
  };
  const timer = setTimeout(() => {
    complain('no signal');
    child.kill('SIGKILL');
  }, NO_SIGNAL_MS);
  createInterface({ input: child.stderr as Readable }).on('line', complain);
  createInterface({ input: child.stdout as Readable }).on('line', (line) => {
    const notice = saidByCard(line, order);
    if (notice === undefined) return;
    if ('signal' in notice) return void (ended.hasBegun && say(notice));
    if (ended.hasBegun) return;
    clearTimeout(timer);
    ended.hasBegun = true;
    say(notice);
  });
  ended.code = await endOf(child, complain);
  clearTimeout(timer);
  return { ...ended, complaints: lines.join('\n') };
}

function endOf(child: ChildProcess, complain: (line: string) => void): Promise<number | null> {
  return new Promise((resolve) => {
    child.once('error', ({ message }) => complain(message));
    child.once('close', (code) => resolve(code));
  });
}
