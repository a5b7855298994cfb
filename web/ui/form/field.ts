/** The fields of a form, as web/gen/forms/ has them. */

export type FieldType = 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'instant' | 'list' | 'object' | 'json';

export interface Field {
  name: string;
  type: FieldType;
  required: boolean;
  nullable: boolean;
  help: string;
  initial?: unknown;
  choices?: readonly (string | number | boolean)[];
  /** Never shown; an empty one stays as it is stored. */
  secret?: boolean;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  multipleOf?: number;
  /** Paths from the root of the form with the values under which the field is there. */
  when?: Readonly<Record<string, readonly unknown[]>>;
  /** Values of the first path of `when` for which it must be filled in. */
  requiredFor?: readonly unknown[];
  /** The fields of an object. */
  fields?: readonly Field[];
  /** The items of a list. */
  item?: Field;
}

/** The values of an open form: numbers as typed, null for an object that is not set. */
export type Values = Readonly<Record<string, unknown>>;

/** An object of no field has no content that a form could show. */
export function fieldsIn(field: Field): readonly Field[] {
  return field.fields ?? [];
}
