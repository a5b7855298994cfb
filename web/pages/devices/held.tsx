/** The fleet is held: who holds it and since when, and the button that ends it; else the one that begins it. */
import { useSignal } from '@preact/signals';
import { can } from '../../api/can.ts';
import type { DataOf } from '../../api/operation-types.ts';
import type { ProblemError } from '../../api/problems.ts';
import { useOne } from '../../api/reads.ts';
import { save } from '../../api/saves.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { Time } from '../../ui/show/time.tsx';
import { words } from './words.ts';

function useHeld(): DataOf<'getDevicesStatus'>['held'] | undefined {
  return useOne('getDevicesStatus', {}).data?.held;
}

export function HeldBanner() {
  const held = useHeld();
  const w = words.value;
  if (held == null) return null;
  return (
    <section class="banner" aria-label={w.heldTitle}>
      <p role="status">
        <strong>{w.heldTitle}</strong> {w.heldBy(held.by)} <Time at={held.since} />. {w.heldEffect}
      </p>
      <Order operation="releaseFleet" />
    </section>
  );
}

export function HoldButton() {
  return useHeld() === null ? <Order operation="holdFleet" /> : null;
}

function Order({ operation }: { operation: 'holdFleet' | 'releaseFleet' }) {
  const isOpen = useSignal(false);
  const isBusy = useSignal(false);
  const problem = useSignal<ProblemError | undefined>(undefined);
  const w = words.value;
  if (!can(operation)) return null;
  const order = async (): Promise<void> => {
    isBusy.value = true;
    const outcome = await save({ operation, body: {} });
    isBusy.value = false;
    problem.value = outcome.kind === 'refused' ? outcome.error : undefined;
    // The feed says what is in force then.
    if (outcome.kind === 'saved') isOpen.value = false;
  };
  const { title, effect } = w[operation];
  return (
    <>
      <Button onPress={() => (isOpen.value = true)}>{title}</Button>
      {isOpen.value && (
        <ConfirmDialog
          title={title}
          effect={effect}
          button={title}
          busy={isBusy.value ? w.ordering : undefined}
          onCancel={() => (isOpen.value = false)}
          onConfirm={() => void order()}
          problem={<ProblemAlert problem={problem.value} />}
        />
      )}
    </>
  );
}
