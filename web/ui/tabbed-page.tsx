/** A page whose content is in tabs: its heading, and the chosen tab, which begins with the first. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Tabs } from './tabs.tsx';

interface TabbedPageProps<T extends string> {
  title: string;
  tabs: readonly { name: T; label: string; content: () => ComponentChildren }[];
}

export function TabbedPage<T extends string>({ title, tabs }: TabbedPageProps<T>) {
  const chosen = useSignal(tabs[0]!.name);
  const shown = tabs.find(({ name }) => name === chosen.value);
  return (
    <>
      <h1>{title}</h1>
      <Tabs label={title} tabs={tabs} chosen={chosen.value} onChoose={(name) => (chosen.value = name)}>
        {shown?.content()}
      </Tabs>
    </>
  );
}
