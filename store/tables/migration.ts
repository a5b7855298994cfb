/** Brings rows of an older version into the present form, before any table or index sees them. */
import type { Channel } from '../../domain/shapes/sources/channel.ts';
import { AppError } from '../../domain/base/errors.ts';
import { failoverField } from '../../domain/shapes/broadcasts/failover.ts';
import { detectField, soundField } from '../../domain/shapes/broadcasts/sound.ts';
import { isPushed } from '../../domain/types/channel-questions.ts';

export interface StoredRow {
  version: number;
  row: { id: number } & Record<string, unknown>;
}

/** Rows in the form in which they were written. */
export interface RawState {
  /** Rows by collection and id. */
  readonly collections: Map<string, Map<number, StoredRow>>;
  /** Next id to allot, by collection. */
  readonly nextIds: Map<string, number>;
}

/** The step from version `n` to `n + 1` is under key `n`; it changes the state in place. */
export type Migrations = Readonly<Record<number, (state: RawState) => void>>;

/**
 * 2: history is in files of its own. 3: so are firings that are over, which the scheduler moves there. Rows keep their form; the recovery
 * finds their place. 4: pushed Channels are listened for all the time, and a Live stream has a backup. 5: there are eras.
 */
export const MIGRATIONS: Migrations = { 1: () => undefined, 2: () => undefined, 3: withListeners, 4: () => undefined };

/** A row that has the new fields already, in a document that was edited by hand, keeps them. */
function withListeners({ collections }: RawState): void {
  const rowsOf = (name: string): StoredRow['row'][] =>
    [...(collections.get(name)?.values() ?? [])].map(({ row }) => row);
  const local = rowsOf('devices').find((device) => device['local'] === true)?.id ?? null;
  for (const row of rowsOf('channels')) {
    const { type, settings } = row as unknown as Pick<Channel, 'type' | 'settings'>;
    add(row, { enabled: true, deviceId: isPushed({ type, settings }) ? local : null });
  }
  const defaults = {
    audio: null,
    captions: { webvtt: true },
    failover: failoverField.parse({}),
    sound: soundField.parse({}),
    detect: detectField.parse({}),
  };
  for (const row of rowsOf('livestreams')) add(row, { startWithoutSource: 'fail', backupChannelId: null, ...defaults });
}

function add(row: StoredRow['row'], fields: Record<string, unknown>): void {
  Object.assign(row, { ...fields, ...row });
}

export interface Schema {
  readonly version: number;
  readonly migrations: Migrations;
  /** Version of the program, which people know better than that of the schema. */
  readonly program?: string | undefined;
}

/**
 * Throws AppError unavailable, with both numbers, when `found` is newer than this program. `source` names where it was found, `writer` the
 * version of the program that wrote it.
 */
export function assertReadable(found: number, schema: Schema, source: string, writer?: string): void {
  if (found > schema.version) throw unreadable(found, schema, source, 'only a newer onair can read that', writer);
}

/** Throws AppError unavailable, with both numbers, when a step is missing on the way from `from` to `to`. */
export function migrate(state: RawState, from: number, to: number, schema: Schema, source: string): void {
  for (let version = from; version < to; version += 1) {
    const step = schema.migrations[version];
    if (step === undefined)
      throw unreadable(from, schema, source, `it has no migration from ${version} to ${version + 1}`);
    step(state);
  }
}

function unreadable(found: number, schema: Schema, source: string, why: string, writer?: string): AppError {
  const by = writer === undefined ? '' : ` and was written by onair ${writer}`;
  const own = schema.program === undefined ? 'this onair' : `this onair ${schema.program}`;
  return new AppError(
    'unavailable',
    `${source} has schema version ${found}${by}; ${own} has schema version ${schema.version} and ${why}. Start the version of onair that wrote it.`,
    {
      facts: { found, supported: schema.version },
    },
  );
}
