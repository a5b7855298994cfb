/** The modal dialogs that are open; the last one is on top. */
import { computed, signal } from '@preact/signals';

const open = signal<readonly object[]>([]);

export const topModal = computed(() => open.value.at(-1));

/** Returns what takes it away. */
export function addModal(modal: object): () => void {
  open.value = [...open.peek(), modal];
  return () => {
    open.value = open.peek().filter((each) => each !== modal);
  };
}
