/** The facts of a resource that plain create, read, update and delete need. It is pure: rules look at the store through a View. */
import type { z } from 'zod/v3';
import type { ResidentName, CollectionRows } from './collections.ts';
import type { Control } from './control.ts';
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
  /** Fills fields that follow from others. `present` is the stored row on an update; `sent` is the caller's input, where that is known. */
  readonly complete?: (
    row: CollectionRows[C],
    present?: Readonly<CollectionRows[C]>,
    sent?: Readonly<Record<string, unknown>>,
    view?: View,
  ) => CollectionRows[C];
  /**
   * Throws AppError invalid_input or rule_violated. `news` is the caller's input before defaults were filled in, without fields that he had
   * read and sends back unchanged.
   */
  readonly check?: (
    row: CollectionRows[C],
    view: View,
    present?: Readonly<CollectionRows[C]>,
    news?: Readonly<Record<string, unknown>>,
  ) => void;
  /** Throws AppError wrong_state when the row must not be edited or deleted now. */
  readonly guard?: (row: Readonly<CollectionRows[C]>, view: View) => void;
  /** Resources that would lose it if it were deleted. */
  readonly users?: (view: View, id: number) => ResourceUser[];
  /** Rows that `present` looks up. */
  readonly related?: (row: Readonly<CollectionRows[C]>) => readonly (readonly [ResidentName, number])[];
  /** Fields of the answer that the running system alone knows; `present` gives them their form. */
  readonly live?: (row: Readonly<CollectionRows[C]>, control: Pick<Control, 'ingest'>) => object;
  /** The row as callers see it: secrets masked, derived fields added. */
  readonly present: (row: Readonly<CollectionRows[C]>, lookup: Lookup) => unknown;
}

export function defineResource<C extends ResidentName>(resource: Resource<C>): Resource<C> {
  return resource;
}
