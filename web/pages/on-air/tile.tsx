/** One Live stream on the wall. */
import { words } from '../../i18n/words.ts';
import { moment } from '../../live/clock.ts';
import { shownZone } from '../../shown-zone.ts';
import type { Health } from '../../live/health.ts';
import { healthOfStream, streamSignal } from '../../live/streams.ts';
import type { LivestreamStatus, Path } from '../../live/status.ts';
import { clockText, durationText } from '../../zone.ts';

const MARKS = { 'on-air': '●', starting: '◌', warning: '▲', failing: '✕', failed: '✕', off: '○', unknown: '?' };
const CLASSES = {
  'on-air': 'ok',
  starting: 'soft',
  warning: 'warn',
  failing: 'fault',
  failed: 'fault',
  off: 'soft',
  unknown: 'soft',
};

export function Tile({ id }: { id: number }) {
  const stream = streamSignal(id)?.value;
  const health = healthOfStream(id);
  if (stream === undefined || health === undefined) return null;
  const { status, flags, by } = stream;
  const w = words.value;
  const { logo, text, blackout } = status.runtime;
  const since = status.since === null ? undefined : Date.parse(status.since);
  return (
    <article
      class="tile"
      tabIndex={0}
      aria-label={status.name}
      aria-describedby={`state-${id}`}
      data-livestream={id}
      data-state={health.state}
    >
      <canvas role="img" aria-label={w.picture(status.name)} width={320} height={180} />
      <p class="soft tile-state">{w.noPicture}</p>
      <h2>{status.name}</h2>
      <p id={`state-${id}`} class={`tile-state ${CLASSES[health.state]}`}>
        <span aria-hidden="true">{MARKS[health.state]} </span>
        {describe(health)}
      </p>
      <span role="timer" aria-label={w.upTime}>
        {durationText(
          since === undefined || status.status !== 2 ? status.uptime_seconds : (moment.value - since) / 1000,
        )}
      </span>
      <p class="tile-state">
        {blackout !== 'Live' && <strong>{w.blackout} </strong>}
        {(flags & 16) !== 0 && <strong>{w.slate} </strong>}
        {logo !== null && <span>{w.logo(logo.filename)} </span>}
        {text !== null && <span>{w.text(text)}</span>}
      </p>
      <ul aria-label={w.destinations}>{destinationItems(status)}</ul>
      {by !== undefined && <p class="soft tile-state">{w.by(by.user, by.via)}</p>}
    </article>
  );
}

function describe({ state, since, troubles }: Health): string {
  const w = words.value;
  const when = since === undefined ? '' : ` ${w.since(clockText(since, shownZone.value))}`;
  const why = troubles[0];
  if (why === undefined) return `${w.states[state]}${when}`;
  return `${w.states[state]}${when}: ${[why.about, w.reasons[why.reason].what, why.cause].filter(Boolean).join(' ')}`;
}

function destinationItems({ publishings }: LivestreamStatus) {
  const item = (name: string, kind: 'primary' | 'backup', path: Path) => {
    const state = words.value.pathStates[path.enabled ? path.state : 'off'];
    return <li key={`${name} ${kind}`}>{words.value.path(name, kind, state)}</li>;
  };
  return publishings.flatMap(({ name, primary, backup }) => [
    item(name, 'primary', primary),
    ...(backup === null ? [] : [item(name, 'backup', backup)]),
  ]);
}
