/** Changes of a Live stream on air as they are requested. */
import type { livestreamOptions } from '../broadcasts/livestream.ts';
import type { Publishing } from '../destinations/publishing.ts';
import type { BodyOf } from './change-row.ts';
import type { ChangeBody, ChangeKind } from './changes.ts';

/** For a change that is meant for an instant ahead: the encoder gets it before, and its outcome is known at the instant. */
export interface Ahead {
  /** Milliseconds since 1970. */
  atMs: number;
  /** Called when the encoder has accepted the change; what is meant for the same instant may follow. */
  onScheduled(): void;
}

/** A requested change of a Live stream on air: the body of its operation. `by` is the user who requests it. */
export type LiveChange = { by?: string | undefined } & (
  | { [K in ChangeKind]: { kind: K; body: ChangeBody<K> } }[ChangeKind]
  /** Destinations that have joined or left the group which the run delivers to, by id. */
  | { kind: 'members'; body: { add: number[]; remove: number[] } }
  /** Settings of a bound Destination that are about to be stored; it begins anew with them. */
  | { kind: 'output'; body: Publishing }
  /** Options that are about to be stored; those that the encoder cannot take count from the next start. */
  | { kind: 'options'; body: BodyOf<typeof livestreamOptions> }
);
export type LiveBody<K extends LiveChange['kind']> = Extract<LiveChange, { kind: K }>['body'];
