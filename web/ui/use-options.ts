/** The options of a Combobox for what is typed; a later answer of an earlier question is left out. */
import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export interface Option<T> {
  value: T;
  label: string;
  /** The softer second line: `SRT, 2 in use`. */
  details?: string;
  /** Shown, and cannot be chosen: the reason stands in `details`. */
  disabled?: boolean;
}

interface Options<T> {
  /** undefined: the first answer is on its way. */
  options: Signal<readonly Option<T>[] | undefined>;
  /** undefined: the list is closed. */
  typed: Signal<string | undefined>;
  /** The place of the option that Enter chooses; -1 for none. */
  active: Signal<number>;
  open: (search: string) => void;
  close: () => void;
}

type Ask<T> = (typed: string) => readonly Option<T>[] | Promise<readonly Option<T>[]>;

/** A pause in typing after which the options are asked for. */
const SETTLE_MS = 120;

export function useOptions<T>(ask: Ask<T>, isAlwaysOpen: boolean): Options<T> {
  const options = useSignal<readonly Option<T>[] | undefined>(undefined);
  const typed = useSignal<string | undefined>(undefined);
  const active = useSignal(isAlwaysOpen ? 0 : -1);
  const question = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const load = (search: string): void => {
    const mine = (question.current += 1);
    const take = (found: readonly Option<T>[]): void => {
      if (mine !== question.current) return;
      options.value = found;
      active.value = isAlwaysOpen || search !== '' ? found.findIndex(({ disabled }) => disabled !== true) : -1;
    };
    const answer = ask(search);
    if (answer instanceof Promise)
      answer.then(take, () => {
        take([]);
      });
    else take(answer);
  };
  const open = (search: string): void => {
    const isFirst = typed.value === undefined;
    typed.value = search;
    clearTimeout(timer.current);
    if (isFirst || isAlwaysOpen) load(search);
    else timer.current = setTimeout(() => load(search), SETTLE_MS);
  };
  const close = (): void => {
    clearTimeout(timer.current);
    question.current += 1;
    typed.value = undefined;
    active.value = -1;
  };
  useEffect(() => {
    if (isAlwaysOpen) load('');
    return () => clearTimeout(timer.current);
  }, []);
  return { options, typed, active, open, close };
}
