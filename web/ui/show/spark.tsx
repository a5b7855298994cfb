/** The last values as a line; the number beside it says what it is. */
import { sparkPath } from './spark-path.ts';

interface SparkProps {
  values: readonly number[];
  /** So many values fill the width; the newest stands at the right. */
  capacity?: number;
  /** The words for readers of screens, which pass over a spark without them. */
  label?: string;
}

const [WIDTH, HEIGHT] = [60, 16];

export function Spark({ values, capacity = 60, label }: SparkProps) {
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role={label === undefined ? undefined : 'img'}
      aria-label={label}
      aria-hidden={label === undefined ? 'true' : undefined}
    >
      <path d={sparkPath(values, { width: WIDTH, height: HEIGHT, capacity })} vector-effect="non-scaling-stroke" />
    </svg>
  );
}
