/** Hands the Recording to the transcription provider. It is offered where that is set up; without the licence the reason stands in its place. */
import { useSignal } from '@preact/signals';
import { call, dataIn } from '../../../api/call.ts';
import { can } from '../../../api/can.ts';
import { useOne } from '../../../api/reads.ts';
import type { DataOf } from '../../../api/operation-types.ts';
import { Button } from '../../../ui/button.tsx';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { notify } from '../../../ui/registry/notices.ts';
import { words } from '../words.ts';

/** Files of hours are sent before the answer comes. */
export function HandOff({ recordingId, name }: { recordingId: number; name: string }) {
  const w = words.value;
  const isBusy = useSignal(false);
  const problem = useSignal<Error | undefined>(undefined);
  const { data: config } = useOne('getTranscriptionConfig', {});
  const isSetUp = config !== undefined && config.tenant_url !== null && config.has_api_key;
  if (!isSetUp || !can('handOffToTranscription')) return null;
  if (!config.licensed) return <span class="soft">{w.notLicensed}</span>;
  const hand = async (): Promise<void> => {
    isBusy.value = true;
    problem.value = undefined;
    try {
      const { body } = await call('handOffToTranscription', { body: { recordingId } });
      const { asset_id } = dataIn(body) as DataOf<'handOffToTranscription'>;
      notify(w.handedOff(String(asset_id)));
    } catch (error) {
      problem.value = error as Error;
    }
    isBusy.value = false;
  };
  return (
    <>
      <Button
        icon="scroll-text"
        label={w.handOffOne(name)}
        busy={isBusy.value && w.handingOver}
        onPress={() => void hand()}
      >
        {w.handOff}
      </Button>
      <ProblemAlert problem={problem.value} />
    </>
  );
}
