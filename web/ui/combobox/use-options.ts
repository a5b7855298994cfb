/** The options of a Combobox for what is typed; a later answer of an earlier question is left out. */
import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { chosenBy, type Option, type Unchosen } from './chosen-by.ts';

interface Options<T> {
  /** undefined: the first answer is on its way. */
  options: Signal<readonly Option<T>[] | undefined>;
  /** undefined: the list is closed. */
  typed: Signal<string | undefined>;
  /** The place of the option that Enter chooses; -1 for none. */
  active: Signal<number>;
  open: (search: string) => void;
  close: () => void;
  /** Text that was typed and not chosen; it stays in the field until it is typed again or taken back. */
  left: Signal<Left | undefined>;
  /** Closes the list. Answers whether nothing is left: what names one option is chosen. */
  leave: () => Promise<boolean>;
}

interface Left {
  text: string;
  /** undefined: the options are still asked. */
  why: Unchosen | undefined;
}

interface Choosing<T> {
  isAlwaysOpen: boolean;
  /** The present choice as the field shows it. */
  text: string;
  onChoose: (option: Option<T>) => void;
}

type Ask<T> = (typed: string) => readonly Option<T>[] | Promise<readonly Option<T>[]>;

/** A pause in typing after which the options are asked for. */
const SETTLE_MS = 120;

export function useOptions<T>(ask: Ask<T>, { isAlwaysOpen, text, onChoose }: Choosing<T>): Options<T> {
  const options = useSignal<readonly Option<T>[] | undefined>(undefined);
  const typed = useSignal<string | undefined>(undefined);
  const active = useSignal(isAlwaysOpen ? 0 : -1);
  const left = useSignal<Left | undefined>(undefined);
  const leaving = useRef<Promise<boolean>>(Promise.resolve(true));
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
    left.value = undefined;
    clearTimeout(timer.current);
    // What is marked for Enter answers what was typed before.
    if (!isAlwaysOpen) active.value = -1;
    if (isFirst || isAlwaysOpen) load(search);
    else timer.current = setTimeout(() => load(search), SETTLE_MS);
  };
  const close = (): void => {
    clearTimeout(timer.current);
    question.current += 1;
    typed.value = undefined;
    left.value = undefined;
    leaving.current = Promise.resolve(true);
    active.value = -1;
  };
  const judge = async (search: string): Promise<boolean> => {
    const mine = question.current;
    const found = await Promise.resolve()
      .then(() => ask(search))
      .then(
        (options) => chosenBy(search, options),
        () => 'unknown' as const,
      );
    // Somebody has typed again meanwhile.
    if (mine !== question.current) return left.peek() === undefined;
    left.value = typeof found === 'string' ? { text: search, why: found } : undefined;
    if (typeof found !== 'string') onChoose(found);
    return typeof found !== 'string';
  };
  const leave = (): Promise<boolean> => {
    const search = typed.peek()?.trim();
    if (search === undefined) return leaving.current;
    close();
    if (search !== '' && search !== text) {
      left.value = { text: search, why: undefined };
      leaving.current = judge(search);
    }
    return leaving.current;
  };
  useEffect(() => {
    if (isAlwaysOpen) load('');
    return () => clearTimeout(timer.current);
  }, []);
  useEffect(() => {
    left.value = undefined;
    leaving.current = Promise.resolve(true);
  }, [text]);
  return { options, typed, active, open, close, left, leave };
}
