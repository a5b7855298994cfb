/** A line for each stream with a bar for each Recording. It is for eyes and pointers; the table below has the same for all. */
import { language } from '../../../i18n/words.ts';
import { shownZone } from '../../../shown-zone.ts';
import { isNarrow } from '../../../ui/narrow.ts';
import { clockText, dateText, wallTimeOf } from '../../../zone.ts';
import { words } from '../words.ts';
import { linesOf, scaleOf, ticksOf, type Recorded, type Scale } from './lines.ts';

interface StreamLinesProps {
  rows: readonly Recorded[];
  now: number;
  onOpen: (id: number) => void;
}

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;
const maxTicks = (): number => (isNarrow.value ? 3 : 6);

export function StreamLines({ rows, now, onOpen }: StreamLinesProps) {
  const scale = scaleOf(rows, now);
  if (scale === undefined) return null;
  return (
    <figure class="stream-lines" role="img" aria-label={words.value.lines}>
      {linesOf(rows, scale, now).map((line) => (
        <div key={line.livestreamId} class="stream-line">
          <span>{line.name}</span>
          <svg height="22" width="100%">
            {line.bars.map((bar) => (
              <rect
                key={bar.id}
                class={`stream-bar stream-bar-${bar.status}`}
                x={percent(bar.from)}
                width={percent(bar.width)}
                y="2"
                height="18"
                rx="3"
                onClick={() => onOpen(bar.id)}
              >
                <title>{bar.name}</title>
              </rect>
            ))}
          </svg>
        </div>
      ))}
      <div class="stream-line stream-axis">
        <span />
        <svg height="18" width="100%">
          <Ticks scale={scale} />
        </svg>
      </div>
    </figure>
  );
}

function Ticks({ scale }: { scale: Scale }) {
  const zone = shownZone.value;
  const wall = wallTimeOf(scale.from, zone);
  const asUtc = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second);
  const offset = Math.round((asUtc - scale.from) / 60_000) * 60_000;
  const isDays = scale.to - scale.from > 3 * 86_400_000;
  const text = (tick: number): string => {
    const time = clockText(tick, zone).slice(0, 5);
    const day = dateText(tick, zone, language.value).split(' ').slice(0, 3).join(' ');
    return isDays || time === '00:00' ? day : time;
  };
  return (
    <>
      {ticksOf(scale, maxTicks(), offset).map((tick) => (
        <text key={tick} x={percent((tick - scale.from) / (scale.to - scale.from))} y="13">
          {text(tick)}
        </text>
      ))}
    </>
  );
}
