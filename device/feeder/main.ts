/**
 * A process that takes in what no ffmpeg of a distribution can: its media leave as Matroska on descriptor 3, and what it has to say as lines
 * of JSON on stdout. A crash of the runtime that it loads costs the source a second, and the broadcast nothing else.
 */
import { environment } from '../environment.ts';
import { feedCard } from './card-feeder.ts';
import type { CardOrder } from './card-pipeline.ts';
import { FeederUnfit } from './failures.ts';
import { say } from './feed-lines.ts';
import { findNdi } from './ndi-library.ts';
import { NdiReceiver, sourceOf, type NdiOrder } from './ndi-receiver.ts';
import { NdiRuntime } from './ndi-runtime.ts';

/** Takes the order of a source (JSON); the exit code is 0 where the source goes on in another format. */
export async function runFeeder(order: string): Promise<void> {
  try {
    const wanted = JSON.parse(order) as NdiOrder | CardOrder;
    await (wanted.kind === 'card' ? feedCard(wanted) : feedNdi(wanted));
  } catch (error) {
    // The reader has gone, and with it the need.
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return;
    say({ error: (error as Error).message, ...(error instanceof FeederUnfit && { isFinal: true }) });
    process.exitCode = 1;
  }
}

async function feedNdi(order: NdiOrder): Promise<void> {
  const path = findNdi(environment().variables);
  if (path === undefined) throw new FeederUnfit('The NDI runtime is not on this Device.');
  const { default: koffi } = await import('koffi').catch(() => {
    throw new FeederUnfit(
      'koffi is not installed on this Device, by which the NDI runtime is called: npm install koffi',
    );
  });
  const runtime = new NdiRuntime(koffi, path);
  new NdiReceiver(runtime, order.groups).run(sourceOf(runtime, order));
}
