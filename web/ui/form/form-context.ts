/** Every field of an open form knows this. */
import { createContext, type ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import type { Option } from '../combobox/combobox.tsx';
import type { Draft } from './draft.ts';
import type { Field, Values } from './field.ts';

/** Finds rows of another resource for a field that holds their id. */
export interface Picker {
  ask(typed: string): Promise<readonly Option<string | number>[]>;
  /** undefined: what is stored is shown as it is. */
  nameOf(value: string | number): Promise<string | undefined>;
}

export interface ChoiceGroup {
  label: string;
  choices: readonly (string | number | boolean)[];
}

/** How a form is laid out; paths have no numbers of list items: `keys.kid`. */
export interface FormLayout {
  /** Paths that come first; `name` and `type` are before all. */
  order?: readonly string[];
  /** Folded. */
  advanced?: readonly string[];
  hidden?: readonly string[];
  /** Texts of several lines. */
  lines?: readonly string[];
  /** Choices as radios. */
  radios?: readonly string[];
  /** Words of choices by path. */
  choices?: Readonly<Record<string, Readonly<Record<string, string>> | ((choice: string) => string)>>;
  /** Choices that stand under a heading, in a list folded; the others come before. */
  groups?: Readonly<Record<string, readonly ChoiceGroup[]>>;
  /** Controls that a resource brings itself, in place of that of the field's type. */
  controls?: Readonly<Record<string, (view: FieldView) => ComponentChildren>>;
  /** Names of fields, where those by the field's name do not fit. */
  labels?: Readonly<Record<string, string>>;
}

export interface FormLook {
  draft: Draft;
  layout: FormLayout;
  /** The zone that instants are typed in. */
  zone: string;
  pickerFor(path: string): Picker | undefined;
}

export interface FieldProps {
  field: Field;
  path: string;
  /** Holds the values that decide which fields are there: the form's, or a list item's own. */
  root: Values;
  /** In place of the field's name. */
  label?: string;
}

export interface GroupProps {
  fields: readonly Field[];
  prefix: string;
  root: Values;
}

/** Lists and objects have fields in them, and are fields themselves: the views come with the form, so that no file imports itself in a circle. */
interface FormDeps extends FormLook {
  OneField: (props: FieldProps) => ComponentChildren;
  FieldGroup: (props: GroupProps) => ComponentChildren;
}

/** One field as its control shows it. */
export interface FieldView {
  field: Field;
  path: string;
  label: string;
  description: string | undefined;
  error: string | undefined;
  isOptional: boolean;
  value: unknown;
  onValue: (value: unknown) => void;
  root: Values;
}

export const FormContext = createContext<FormDeps | undefined>(undefined);

export function useForm(): FormDeps {
  const look = useContext(FormContext);
  if (look === undefined) throw new Error('A field is shown in a form alone.');
  return look;
}

/** The path as a layout names it. */
export function layoutPath(path: string): string {
  return path.replaceAll(/\.\d+(?=\.|$)/gu, '');
}

/** The words of a choice of the field at `place`; undefined where the layout has none. */
export function choiceText({ choices }: FormLayout, place: string, choice: unknown): string | undefined {
  const own = choices?.[place];
  return typeof own === 'function' ? own(String(choice)) : own?.[String(choice)];
}
