/** A level between two bounds, as a bar for eyes and a number for everybody else. */
import { useEffect, useRef } from 'preact/hooks';

interface MeterProps {
  label: string;
  value: number | null | undefined;
  min: number;
  max: number;
  /** The value in words: `-12 dBFS`, `2 of 4`. */
  text: string;
  /** From here on the bar warns, and is too high. */
  high?: number;
  over?: number;
  /** `upright` for sound beside a picture. */
  look?: 'flat' | 'upright';
}

export function Meter({ label, value, min, max, text, high, over, look = 'flat' }: MeterProps) {
  const bar = useRef<HTMLSpanElement>(null);
  const known = value ?? min;
  const share = Math.max(0, Math.min(1, (known - min) / (max - min)));
  useEffect(() => {
    // A property set by script passes the policy where a style attribute does not.
    bar.current?.style.setProperty('--share', String(share));
  }, [share]);
  const level = over !== undefined && known >= over ? 'over' : high !== undefined && known >= high ? 'high' : 'ok';
  return (
    <span
      role="meter"
      aria-label={label}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={Math.max(min, Math.min(max, known))}
      aria-valuetext={text}
      class={`meter meter-${look} meter-${level}`}
    >
      <span ref={bar} />
    </span>
  );
}
