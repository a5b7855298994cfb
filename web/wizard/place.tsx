/** The wizard where the store has no Live stream yet, or somebody asks for it; it stays until what it has ordered is closed. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { useList } from '../api/reads.ts';
import { withWords } from '../i18n/words.ts';
import { isWizardAsked } from './asked.ts';
import { isFirstBroadcastOpen } from './set-up.ts';

/** Few stores are empty, and On air is loaded first: the wizard comes when it is wanted. */
const view = signal<ComponentType | undefined>(undefined);

export function FirstBroadcastPlace() {
  const { total } = useList('getAllLivestreams', { params: { fields: 'id' }, pageSize: 1 });
  const isWanted = total === 0 || isWizardAsked.value || isFirstBroadcastOpen.value;
  useEffect(() => {
    if (isWanted)
      void withWords(import('./first-broadcast.tsx')).then(({ FirstBroadcast }) => (view.value = FirstBroadcast));
  }, [isWanted]);
  const FirstBroadcast = view.value;
  return isWanted && FirstBroadcast !== undefined ? <FirstBroadcast /> : null;
}
