/** The signal of a Source where it is on air, as the feed has it. */
import { feed } from '../../live/streams.ts';
import type { Stream } from '../../live/feed.ts';
import { hrefOf } from '../../route.ts';
import { words } from './words.ts';

const CLASSES = { idle: 'soft', connecting: 'soft', up: 'ok', lost: 'fault' };
const MARKS = { idle: '○', connecting: '◌', up: '●', lost: '✕' };

export function streamsFrom(channelId: number): Stream[] {
  return [...feed.value.streams.values()].filter(
    ({ status }) => status.status > 0 && status.source?.channelId === channelId,
  );
}

const INGEST_CLASSES = { off: 'soft', waiting: 'soft', receiving: 'ok', refused: 'warn', failed: 'fault' };
const INGEST_MARKS = { off: '○', waiting: '◌', receiving: '●', refused: '▲', failed: '✕' };

/** The state of a listener, whether a Live stream uses it or not. */
export function IngestState({ state }: { state: keyof typeof INGEST_MARKS }) {
  return (
    <span class={INGEST_CLASSES[state]}>
      <span aria-hidden="true">{INGEST_MARKS[state]} </span>
      {words.value.ingestStates[state]}
    </span>
  );
}

/** One line a Live stream: its name, the state of the source, frames and bits a second. */
export function Signals({ channelId }: { channelId: number }) {
  const streams = streamsFrom(channelId);
  if (streams.length === 0) return null;
  return (
    <ul class="plain-list">
      {streams.map(({ status, rates }) => (
        <li key={status.livestreamId}>
          <a href={hrefOf('live-streams', status.livestreamId)}>{status.name}</a>{' '}
          <SignalState state={status.source?.state ?? 'idle'} /> {figures(status.source, rates)}
        </li>
      ))}
    </ul>
  );
}

export function SignalState({ state }: { state: keyof typeof MARKS }) {
  return (
    <span class={CLASSES[state]}>
      <span aria-hidden="true">{MARKS[state]} </span>
      {words.value.states[state]}
    </span>
  );
}

function figures(source: Stream['status']['source'], rates: Stream['rates']): string {
  const fps = rates?.fps ?? source?.fps ?? 0;
  const kbps = rates?.kbps ?? source?.bitrate_kbps ?? 0;
  if (source?.state !== 'up') return '';
  return `${words.value.fps(Math.round(fps * 10) / 10)} · ${words.value.rate((kbps / 1000).toFixed(1))}`;
}
