/** A far end takes one broadcast: a Destination with an address delivers one Live stream at a time. */
import { STATUS, type StartConfigEntry } from '../../shapes/broadcasts/livestream.ts';
import { isSinglePath } from '../../shapes/destinations/publishing.ts';
import { called, calledIn } from '../../base/sentence.ts';
import type { View } from '../../ports/store.ts';

type Paths = Pick<StartConfigEntry, 'publishingId'> & Partial<Pick<StartConfigEntry, 'primary' | 'backup'>>;

const isOn = ({ primary, backup }: Paths): boolean => primary === true || backup === true;

/** A sentence about the first of the paths to be switched on whose Destination delivers another Live stream now; undefined for none. */
export function deliveredElsewhere(view: View, livestreamId: number, wanted: readonly Paths[]): string | undefined {
  const on = wanted.filter(isOn).flatMap(({ publishingId }) => view.get('publishings', publishingId) ?? []);
  const far = on.filter((publishing) => !isSinglePath(publishing));
  if (far.length === 0) return undefined;
  const { rows } = view.find('runs', { where: { status: { in: [STATUS.starting, STATUS.running] } } });
  for (const run of rows) {
    if (run.id === livestreamId) continue;
    const taken = far.find(({ id }) => run.startConfig.some((entry) => entry.publishingId === id && isOn(entry)));
    if (taken === undefined) continue;
    return `${called('Destination', taken)} delivers ${calledIn(view, 'Live stream', run.id)}, and its far end takes one at a time; stop that one, or switch the Destination off there first.`;
  }
  return undefined;
}
