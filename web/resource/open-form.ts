/** The state of a form dialog that is open, and the acts of its buttons. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { DataOf, ParamsOf } from '../api/operation-types.ts';
import type { ProblemError } from '../api/problems.ts';
import { FORMS, type FormOperation } from '../gen/forms.ts';
import { createDraft, type Draft } from '../ui/form/draft.ts';
import type { Field, Values } from '../ui/form/field.ts';
import { firstUnchosen } from '../ui/form/unchosen.ts';
import type { ResourceLayout } from './pickers.ts';
import { createSaving, type Conflict } from './saving.ts';

export type First = { undo: () => Promise<unknown> } | { error: ProblemError };

export interface FormDialogProps<O extends FormOperation> {
  title: string;
  operation: O;
  params?: ParamsOf<O> | undefined;
  /** The stored row and its ETag, for an edit. */
  row?: object | undefined;
  etag?: string | undefined;
  /** First values of a new row. */
  seed?: Values | undefined;
  layout?: ResourceLayout | undefined;
  /** In place of "Save". */
  button?: string | undefined;
  /** The row's name in the dialog about a conflict. */
  name?: string | undefined;
  /** The last word on what is sent. */
  bodyFrom?: ((body: Record<string, unknown>) => Record<string, unknown>) | undefined;
  /** Done just before it is sent; it is taken back where nothing is saved. */
  first?: (() => Promise<First>) | undefined;
  onSaved: (data: DataOf<O>) => void;
  onClose: () => void;
  /** Stands above the fields. */
  children?: ComponentChildren;
  /** Lays the fields out in place of the usual list. */
  view?: ((draft: Draft) => ComponentChildren) | undefined;
  size?: 'small' | 'wide';
}

/** The open form: its draft with the fields once they are loaded, and what its buttons do. */
export function useOpenForm<O extends FormOperation>(props: FormDialogProps<O>) {
  const { operation, params, row, seed } = props;
  const draft = useSignal<Draft | undefined>(undefined);
  const etag = useSignal(props.etag);
  const isLeaving = useSignal(false);
  const mine = useRef<Record<string, unknown>>({});
  const form = useRef<HTMLFormElement>(null);
  const isSending = useRef(false);
  const saving = useMemo(() => createSaving(operation, params), []);
  useEffect(() => {
    // Its generator writes fields as `Field` has them.
    void FORMS[operation]().then((fields) => {
      draft.value = createDraft(fields as unknown as readonly Field[], row as Values | undefined, seed);
    });
  }, []);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }, [draft.value === undefined]);

  const send = async (open: Draft): Promise<void> => {
    const unchosen = form.current === null ? undefined : await firstUnchosen(form.current);
    if (unchosen !== undefined) {
      unchosen.focus();
      return;
    }
    const body = open.body();
    if (row !== undefined && Object.keys(body).length === 0) {
      props.onClose();
      return;
    }
    mine.current = props.bodyFrom?.(body) ?? body;
    const before = await props.first?.();
    if (before !== undefined && 'error' in before) {
      saving.problem.value = before.error;
      return;
    }
    const { saved, first } = await saving.send(open, mine.current, etag.peek());
    if (saved !== undefined) props.onSaved(saved.data);
    else await before?.undo();
    if (first === undefined) return;
    const fields = [...(form.current?.querySelectorAll<HTMLElement>('[data-path]') ?? [])];
    const wrong = fields.find((field) => field.dataset['path'] === first);
    wrong?.querySelector<HTMLElement>('input, select, textarea, button')?.focus();
  };
  const close = (): void => {
    if (draft.peek()?.isDirty.peek() === true) isLeaving.value = true;
    else props.onClose();
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (draft.value === undefined || isSending.current) return;
    isSending.current = true;
    void send(draft.value).finally(() => (isSending.current = false));
  };
  const keepMine = (conflict: Conflict): void => {
    etag.value = conflict.etag;
    void send(draft.value!);
  };
  const takeTheirs = (conflict: Conflict): void => {
    etag.value = conflict.etag;
    saving.conflict.value = undefined;
    draft.value = createDraft(draft.value!.fields, conflict.theirs as Values);
  };
  return { draft, isLeaving, mine, form, saving, close, submit, keepMine, takeTheirs };
}
