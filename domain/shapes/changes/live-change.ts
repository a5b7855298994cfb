/** Changes of a Live stream on air as they are requested. */
import type { z } from 'zod/v3';
import type { livestreamOptions } from '../broadcasts/livestream.ts';
import type { Publishing } from '../destinations/publishing.ts';
import type {
  adValuesChange,
  blackoutChange,
  logoChange,
  metadataChange,
  pathsChange,
  recordChange,
  sourceChange,
  textChange,
} from './change-bodies.ts';

/** For a change that is meant for an instant ahead: the encoder gets it before, and its outcome is known at the instant. */
export interface Ahead {
  /** Milliseconds since 1970. */
  atMs: number;
  /** Called when the encoder has accepted the change; what is meant for the same instant may follow. */
  onScheduled(): void;
}

type Body<S extends z.ZodRawShape> = z.infer<z.ZodObject<S, 'strict'>>;

/** A requested change of a Live stream on air: the body of a runtime operation. `by` is the user who requests it. */
export type LiveChange = { by?: string | undefined } & (
  | { kind: 'logo'; body: Body<typeof logoChange> }
  | { kind: 'blackout'; body: Body<typeof blackoutChange> }
  | { kind: 'paths'; body: Body<typeof pathsChange> }
  | { kind: 'source'; body: Body<typeof sourceChange> }
  | { kind: 'metadata'; body: Body<typeof metadataChange> }
  | { kind: 'adValues'; body: Body<typeof adValuesChange> }
  | { kind: 'text'; body: Body<typeof textChange> }
  | { kind: 'record'; body: Body<typeof recordChange> }
  /** Destinations that have joined or left the group which the run delivers to, by id. */
  | { kind: 'members'; body: { add: number[]; remove: number[] } }
  /** Settings of a bound Destination that are about to be stored; it begins anew with them. */
  | { kind: 'output'; body: Publishing }
  /** Options that are about to be stored; those that the encoder cannot take count from the next start. */
  | { kind: 'options'; body: Body<typeof livestreamOptions> }
);
