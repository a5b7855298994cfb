/** A Live stream as it is now: its state and why, where it runs, what it delivers to, its options. */
import type { ComponentChildren } from 'preact';
import type { DataOf } from '../../../api/operation-types.ts';
import { fieldLabel } from '../../../i18n/field-labels.ts';
import { formWords } from '../../../i18n/form-words.ts';
import { words as shared } from '../../../i18n/words.ts';
import { healthOfStream, pathStateOf, streamSignal, viewOf } from '../../../live/streams.ts';
import type { Path } from '../../../live/status.ts';
import { Time } from '../../../ui/show/time.tsx';
import { StateCell, WhenCell, WhereCell } from '../list/state-cell.tsx';
import { statusOf } from '../list/live-status.ts';
import type { Parts, StreamRow } from '../list/parts.ts';
import { words } from '../words.ts';
import { aboutText } from '../../../i18n/about-text.ts';
import { Cause } from '../../../ui/show/cause.tsx';

interface OverviewProps {
  row: StreamRow;
  stream: DataOf<'getLivestreamById'>;
  parts: Parts;
}

export function Overview({ row, stream, parts }: OverviewProps) {
  const w = words.value.facts;
  const isLive = statusOf(row) > 0;
  return (
    <dl class="stream-facts">
      <Fact name={w.state}>
        <StateCell row={row} />
      </Fact>
      {isLive && <Why id={row.id} />}
      {isLive && (
        <Fact name={w.started}>
          <Time at={stream.started_at} /> · <WhenCell row={row} next={undefined} />
        </Fact>
      )}
      <Fact name={w.device}>
        <WhereCell row={row} parts={parts} />
      </Fact>
      {isLive && <Paths id={row.id} />}
      {stream.description !== null && stream.description !== '' && (
        <Fact name={w.description}>{stream.description}</Fact>
      )}
      <Fact name={w.enabled}>{stream.enabled ? formWords.value.yes : formWords.value.no}</Fact>
      <Options stream={stream} />
      <Fact name={w.created}>
        <Time at={stream.created_at} /> · {stream.created_by}
      </Fact>
      <Fact name={w.changed}>
        <Time at={stream.updated_at} />
      </Fact>
    </dl>
  );
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Causes and remedies, as On air tells them. */
function Why({ id }: { id: number }) {
  const troubles = healthOfStream(id)?.troubles ?? [];
  const { reasons } = shared.value;
  if (troubles.length === 0) return null;
  return (
    <Fact name={words.value.facts.why}>
      <ul class="stream-plain">
        {troubles.map((trouble) => (
          <li key={`${trouble.reason} ${trouble.about}`}>
            <span class={trouble.severity === 'fault' ? 'fault' : 'warn'}>
              {[aboutText(trouble), trouble.figures, reasons[trouble.reason].what].filter(Boolean).join(' ')}
              {trouble.cause !== undefined && (
                <>
                  : <Cause text={trouble.cause} />
                </>
              )}
            </span>{' '}
            <span class="soft">{reasons[trouble.reason].remedy}</span>
          </li>
        ))}
      </ul>
    </Fact>
  );
}

function Paths({ id }: { id: number }) {
  const stream = streamSignal(id)?.value;
  const rates = viewOf(id)?.rates.value;
  if (stream === undefined) return null;
  const { pathStates, path: pathWords } = shared.value;
  const text = (name: string, kind: 'primary' | 'backup', path: Path): string =>
    pathWords(name, kind, pathStates[pathStateOf(path)]);
  const w = words.value;
  return (
    <>
      {rates !== undefined && <Fact name={w.facts.measured}>{w.measured(rates.fps, rates.kbps)}</Fact>}
      <Fact name={w.facts.paths}>
        <ul class="stream-plain">
          {stream.status.publishings.map(({ publishingId, name, primary, backup }) => (
            <li key={publishingId}>
              {text(name, 'primary', primary)}
              {backup !== null && `, ${text(name, 'backup', backup)}`}
            </li>
          ))}
        </ul>
      </Fact>
    </>
  );
}

function Options({ stream }: Pick<OverviewProps, 'stream'>) {
  const { logo, overlay, crop, scteMarkers, fallback } = stream;
  const set = [
    logo !== null && logo.filename !== '' && `${fieldLabel('logo')}: ${logo.filename}`,
    overlay !== null && `${fieldLabel('overlay')}: ${overlay.text}`,
    crop !== null && fieldLabel('crop'),
    scteMarkers && fieldLabel('scteMarkers'),
    `${fieldLabel('fallback')}: ${fallback.filename ?? fallback.mode}`,
  ].filter((text) => text !== false);
  return <Fact name={words.value.facts.options}>{set.join(' · ')}</Fact>;
}
