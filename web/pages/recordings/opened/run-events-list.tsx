/** Events of the run in words; each brings the player to its place. */
import { eventText } from '../../../i18n/event-text.ts';
import { ServerText } from '../../../ui/show/server-text.tsx';
import { timeCode } from '../cutting/time-code.ts';
import type { RunMark } from '../player/run-marks.ts';
import { words } from '../words.ts';

const LOOKS: Record<RunMark['shape'], { sign: string; look: string }> = {
  fault: { sign: '✕', look: 'fault' },
  warning: { sign: '▲', look: 'warn' },
  switch: { sign: '⇄', look: '' },
  cue: { sign: '◆', look: '' },
  change: { sign: '■', look: 'soft' },
};

interface RunEventsProps {
  marks: readonly RunMark[];
  onChoose: ((seconds: number) => void) | undefined;
}

export function RunEvents({ marks, onChoose }: RunEventsProps) {
  const w = words.value;
  return (
    <section class="panel" aria-labelledby="events-heading">
      <h3 id="events-heading">{w.events}</h3>
      {marks.length === 0 ? (
        <p class="soft">{w.noEvents}</p>
      ) : (
        <ul class="run-events" aria-label={w.events}>
          {marks.map(({ id, seconds, shape, kind, message }) => (
            <li key={id}>
              <span class={LOOKS[shape].look} aria-hidden="true">
                {LOOKS[shape].sign}
              </span>
              {onChoose === undefined ? (
                <span>{timeCode(seconds)}</span>
              ) : (
                <button type="button" class="link" onClick={() => onChoose(seconds)}>
                  {timeCode(seconds)}
                </button>
              )}
              <span class="hidden">{w.shapes[shape]}</span>
              <span>
                <ServerText text={message} own={eventText(kind)} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
