/** What plain create/read/update/delete needs to know of a resource. Pure: rules look at the store through a View. */
import type { z } from 'zod/v3';
import type { ResidentName, CollectionRows } from './collections.ts';
import type { View } from './store.ts';

export interface ResourceUser {
  resource: string;
  id: number;
  name: string;
}

export type Lookup = Pick<View, 'get'>;

export interface Resource<C extends ResidentName> {
  readonly collection: C;
  /** The API's noun: `Channel`, `Publishing group`… */
  readonly noun: string;
  /** Path parameter that carries the id: `channelId`. */
  readonly idParam: string;
  /** Writable fields with their defaults. */
  readonly shape: z.ZodRawShape;
  readonly output: z.ZodObject<z.ZodRawShape, 'strict'>;
  /** Fields that a list answers to a model. */
  readonly shortFields: readonly string[];
  /** Fields a list may be filtered by, with their schemas. */
  readonly filters: z.ZodRawShape;
  /** Fills what follows from other fields. `present` is the stored row on an update; `sent` is what the caller sent, where that is known. */
  readonly complete?: (
    row: CollectionRows[C],
    present?: Readonly<CollectionRows[C]>,
    sent?: Readonly<Record<string, unknown>>,
  ) => CollectionRows[C];
  /**
   * Throws AppError invalid_input or rule_violated. `news` is what the caller sent before defaults were filled in, without what he had only
   * read and sends back.
   */
  readonly check?: (
    row: CollectionRows[C],
    view: View,
    present?: Readonly<CollectionRows[C]>,
    news?: Readonly<Record<string, unknown>>,
  ) => void;
  /** Throws AppError wrong_state when the row must not be edited or deleted now. */
  readonly guard?: (row: Readonly<CollectionRows[C]>, view: View) => void;
  /** Who would lose it if it were deleted. */
  readonly users?: (view: View, id: number) => ResourceUser[];
  /** Rows that `present` looks up. */
  readonly related?: (row: Readonly<CollectionRows[C]>) => readonly (readonly [ResidentName, number])[];
  /** What callers see: secrets masked, derived fields added. */
  readonly present: (row: Readonly<CollectionRows[C]>, lookup: Lookup) => unknown;
}

export function defineResource<C extends ResidentName>(resource: Resource<C>): Resource<C> {
  return resource;
}
