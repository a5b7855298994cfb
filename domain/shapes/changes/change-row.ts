/** The columns that every change has which a caller asks for while a Live stream is on air. */
import type { z } from 'zod/v3';
import type { FieldIssue } from '../../base/errors.ts';
import type { TypeLabel } from '../../types/type-needs.ts';

export type BodyOf<S extends z.ZodRawShape> = z.infer<z.ZodObject<S, 'strict'>>;

/** A command that may be planned. */
export interface CommandRow<S extends z.ZodRawShape = z.ZodRawShape> {
  /** The fields of its operation, livestreamId apart. */
  body: S;
  operation: string;
  /** Its name as the profile voice says it. */
  spoken: string;
  /** Its name on the page, beside its instant and as a title. */
  label: TypeLabel;
  title: TypeLabel;
}

/** A file of the buckets that a body names; nothing is named by an empty name. */
export interface NamedFile {
  field: string;
  fileType: 'logos' | 'files';
  filename: string | null | undefined;
}

/** Rows that a body names, by id. */
export interface NamedRows {
  channels?: readonly number[];
  publishings?: readonly number[];
}

/**
 * A setting is in force until the run ends, and no Live stream stores it: the run's row has it, and its runner gets it as it is. A body
 * changes some of its fields.
 */
export interface SettingRow<B, V extends object> {
  atStart: V;
  /** The part that a body changes; undefined leaves a field as it is. */
  of(body: B): Partial<V>;
  /** Fields that the run uses up: a runner that gets the run anew gets null. */
  usedUp: readonly (keyof V & string)[];
  /** Sentences for the caller about what is in force then. */
  notes(values: V, sent: Partial<V>): string[];
  /** The cloud platform's own operation, below the path of the Live stream; null: it has none. */
  cloud: string | null;
}

export interface ChangeRow<S extends z.ZodRawShape, A extends string, V extends object> extends CommandRow<S> {
  /** Planned actions have this type. */
  action: A;
  /** The Encodings must have it, else it is refused under this name; `video` is enough where sound alone has it too. */
  needs: { what: string; of: 'video' | 'picture' } | null;
  /** Two changes of one subject are never under way at once: each would keep the other's old values. */
  subjects(body: BodyOf<S>): string[];
  /** Mistakes that the schema of the body cannot say. */
  mistakes(body: BodyOf<S>): FieldIssue[];
  /** Planned, it reaches the encoder before its instant. */
  isAhead(body: BodyOf<S>): boolean;
  /** Contradictions between its fields. */
  contradictions(body: BodyOf<S>): FieldIssue[];
  files(body: BodyOf<S>): NamedFile[];
  /** A row cannot be deleted while a planned action names it. */
  rows(body: BodyOf<S>): NamedRows;
  /** null for a change that control/live-changes/change-plan.ts plans in a way of its own. */
  setting: SettingRow<BodyOf<S>, V> | null;
}

/** Gives the functions of a row the types of its body. */
export function changeRow<S extends z.ZodRawShape, const A extends string, V extends object = never>(
  row: ChangeRow<S, A, V>,
): ChangeRow<S, A, V> {
  return row;
}

export function commandRow<S extends z.ZodRawShape>(row: CommandRow<S>): CommandRow<S> {
  return row;
}
