/** The clips of a Recording: those that are being cut, and those that are there. */
import { useSignal } from '@preact/signals';
import { can } from '../../../api/can.ts';
import type { Answer } from '../../../api/query.ts';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { words } from '../words.ts';
import { ClipItem } from './clip-item.tsx';
import type { Clip } from './clips-of.ts';
import { ExportDialog } from './export-dialog.tsx';
import { JobState } from './job-state.tsx';
import { jobs, sendClip } from './jobs.ts';
import { spansText } from './marks.ts';

interface ClipsProps {
  recordingId: number;
  clips: Answer<Clip[]>;
  onShow: ((clip: Clip) => void) | undefined;
}

export function Clips({ recordingId, clips, onShow }: ClipsProps) {
  const w = words.value;
  const sending = useSignal<string | undefined>(undefined);
  const mine = jobs.value.filter((job) => job.recordingId === recordingId);
  const cuts = mine.filter(({ kind }) => kind === 'cut');
  const rows = clips.data ?? [];
  const isEmpty = rows.length === 0 && cuts.length === 0 && !clips.isLoading;
  return (
    <section class="panel" aria-labelledby="clips-heading">
      <h3 id="clips-heading">{w.clips}</h3>
      <ProblemAlert problem={clips.error} />
      {isEmpty && <p class="soft">{w.noClips}</p>}
      <ol class="clips" aria-label={w.clips}>
        {rows.map((clip) => (
          <ClipItem
            key={clip.id}
            clip={clip}
            exports={mine.filter(({ kind, name }) => kind === 'export' && name === clip.filename)}
            onShow={onShow}
            onExport={can('exportClip') ? () => (sending.value = clip.filename) : undefined}
          />
        ))}
        {cuts.map((job) => (
          <li key={`job ${job.id}`}>
            <strong>{job.name === '' ? w.newClip : job.name}</strong>{' '}
            {job.spans.length > 0 && <span class="soft">{spansText(job.spans)}</span>}
            <JobState job={job} />
          </li>
        ))}
      </ol>
      {sending.value !== undefined && (
        <ExportDialog
          filename={sending.value}
          onClose={() => (sending.value = undefined)}
          onSend={(body) => {
            sendClip(recordingId, sending.value!, body);
            sending.value = undefined;
          }}
        />
      )}
    </section>
  );
}
