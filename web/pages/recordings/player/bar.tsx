/** The bar below the picture: the place that is shown, the piece between the marks, and what happened meanwhile. */
import { words } from '../words.ts';
import type { Editor } from '../cutting/editor.ts';
import { parseTimeCode, timeCode } from '../cutting/time-code.ts';
import type { PlayerState } from './playback.ts';
import type { RunMark } from './run-marks.ts';

interface BarProps {
  playback: PlayerState;
  editor: Editor;
  marks: readonly RunMark[];
}

export function Bar({ playback, editor, marks }: BarProps) {
  const length = Math.max(playback.length.value, 0.01);
  const x = (seconds: number): string => `${((Math.min(seconds, length) / length) * 100).toFixed(3)}%`;
  const begin = parseTimeCode(editor.marks.value.in);
  const end = parseTimeCode(editor.marks.value.out);
  const hear = (event: KeyboardEvent): void => {
    const skip = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10 }[event.key];
    if (skip === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    playback.skip(event.shiftKey ? skip * 10 : skip);
  };
  return (
    <div class="recording-bar">
      <svg width="100%" height="40" aria-hidden="true">
        <rect class="bar-line" x="0" y="16" width="100%" height="8" rx="4" />
        {begin !== undefined && end !== undefined && end > begin && (
          <rect class="bar-piece" x={x(begin)} y="12" width={x(end - begin)} height="16" />
        )}
        {marks.map((mark) => (
          <svg key={mark.id} x={x(mark.seconds)} y="0" overflow="visible" class={`bar-mark bar-mark-${mark.shape}`}>
            <line x1="0" x2="0" y1="10" y2="30" />
            <path d={SHAPES[mark.shape]} />
          </svg>
        ))}
        {begin !== undefined && <Edge x={x(begin)} text="IN" />}
        {end !== undefined && <Edge x={x(end)} text="OUT" isEnd />}
        <svg x={x(playback.at.value)} overflow="visible">
          <line class="bar-place" x1="0" x2="0" y1="4" y2="36" />
        </svg>
      </svg>
      <input
        type="range"
        aria-label={words.value.bar}
        aria-valuetext={timeCode(playback.at.value)}
        min={0}
        max={length}
        step={0.01}
        value={playback.at.value}
        onInput={({ currentTarget }) => playback.seek(Number(currentTarget.value))}
        onKeyDown={hear}
      />
    </div>
  );
}

/** Above the line; each kind has a shape of its own. */
const SHAPES: Record<RunMark['shape'], string> = {
  fault: 'M-5 0L5 10M5 0L-5 10',
  warning: 'M0 0L6 10L-6 10Z',
  switch: 'M-6 3H6M2 -1L6 3L2 7',
  cue: 'M0 0L5 5L0 10L-5 5Z',
  change: 'M-3 2H3V8H-3Z',
};

function Edge({ x, text, isEnd = false }: { x: string; text: string; isEnd?: boolean }) {
  return (
    <svg x={x} overflow="visible" class="bar-edge">
      <line x1="0" x2="0" y1="10" y2="30" />
      <text x={isEnd ? -3 : 3} y="39" text-anchor={isEnd ? 'end' : 'start'}>
        {text}
      </text>
    </svg>
  );
}
