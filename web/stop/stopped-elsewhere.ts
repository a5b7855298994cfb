/** A question about a stop that somebody else has answered meanwhile. */
import { useEffect } from 'preact/hooks';
import { viewOf } from '../live/streams.ts';
import { notify } from '../ui/registry/notices.ts';
import { words } from './words.ts';

interface Asked {
  id: number;
  name: string;
  /** 0: it is off; undefined: not known yet. */
  status: number | undefined;
  /** This window has ordered it, and tells so itself. */
  isOrdered: boolean;
  onStopped: () => void;
}

/** Closes the dialog once nothing is left to stop, and tells who has done it. */
export function useStoppedElsewhere({ id, name, status, isOrdered, onStopped }: Asked): void {
  const isOff = status === 0;
  useEffect(() => {
    if (!isOff) return;
    onStopped();
    if (isOrdered) return;
    const by = viewOf(id)?.by.peek()?.by;
    notify(by === undefined ? words.peek().stopped(name) : words.peek().stoppedBy(name, by.user, by.via));
  }, [isOff]);
}
