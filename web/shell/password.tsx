/** One's own password: the form lies over the shell, and is fetched when it is wanted. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { words } from '../i18n/words.ts';
import { announceFault } from '../ui/registry/notices.ts';
import { loadOwnPassword } from './chunks.ts';

const form = signal<ComponentType<{ onClose: () => void }> | undefined>(undefined);

export function openPassword(): void {
  loadOwnPassword().then(
    ({ default: view }) => (form.value = view),
    () => announceFault(words.peek().notReached),
  );
}

export function PasswordDialog() {
  const Form = form.value;
  return Form === undefined ? null : <Form onClose={() => (form.value = undefined)} />;
}
