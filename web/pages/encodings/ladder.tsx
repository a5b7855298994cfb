/** Rungs of a ladder as bars, longest for the highest bitrate. */
import { Meter } from '../../ui/show/meter.tsx';
import { bitrateOf, totalBitrate, videoText, type Encoding } from './encoding-text.ts';
import { words } from './words.ts';

export function RungBar({ rung, max }: { rung: Encoding; max: number }) {
  const w = words.value;
  const rate = bitrateOf(rung);
  const text = w.rate(String(rate));
  return (
    <span class="rung-bar">
      <Meter label={w.bitrateOf(rung.name)} value={rate} min={0} max={Math.max(max, 1)} text={text} />{' '}
      <span class="rung-rate">{text}</span>
    </span>
  );
}

export function Ladder({ rungs }: { rungs: readonly Encoding[] }) {
  const w = words.value;
  const max = Math.max(...rungs.map(bitrateOf), 1);
  return (
    <>
      <ol class="ladder" aria-label={w.ladder}>
        {rungs.map((rung) => (
          <li key={rung.id}>
            <span class="member-name">{rung.name}</span> <span class="soft">{videoText(rung, w)}</span>
            <RungBar rung={rung} max={max} />
          </li>
        ))}
      </ol>
      <TotalBitrate rungs={rungs} />
    </>
  );
}

export function TotalBitrate({ rungs }: { rungs: readonly Encoding[] }) {
  const w = words.value;
  return (
    <p class="ladder-total">
      {w.total}: <strong>{w.rate(String(totalBitrate(rungs)))}</strong>
    </p>
  );
}
