/** What every field of an open form knows. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Option } from '../combobox.tsx';
import type { Draft } from './draft.ts';

/** Finds rows of another resource for a field that holds their id. */
export interface Picker {
  ask(typed: string): Promise<readonly Option<string | number>[]>;
  /** undefined: what is stored is shown as it is. */
  nameOf(value: string | number): Promise<string | undefined>;
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
  choices?: Readonly<Record<string, Readonly<Record<string, string>>>>;
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

export const FormContext = createContext<FormLook | undefined>(undefined);

export function useForm(): FormLook {
  const look = useContext(FormContext);
  if (look === undefined) throw new Error('A field is shown in a form alone.');
  return look;
}

/** The path as a layout names it. */
export function layoutPath(path: string): string {
  return path.replaceAll(/\.\d+(?=\.|$)/gu, '');
}
