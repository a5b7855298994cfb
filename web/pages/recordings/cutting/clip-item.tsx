/** One clip: its place, and what can be done with it. */
import { API_ROOT } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/show/icon.tsx';
import { sizeText } from '../../../ui/show/size-text.ts';
import { words } from '../words.ts';
import type { Clip } from './clips-of.ts';
import { JobState } from './job-state.tsx';
import type { Job } from './jobs.ts';
import { spansText } from './marks.ts';

interface ClipItemProps {
  clip: Clip;
  exports: readonly Job[];
  onShow: ((clip: Clip) => void) | undefined;
  onExport: (() => void) | undefined;
}

export function ClipItem({ clip, exports, onShow, onExport }: ClipItemProps) {
  const w = words.value;
  const { filename, duration_seconds: seconds } = clip;
  const length = seconds ?? clip.segments.reduce((sum, span) => sum + span.out - span.in, 0);
  return (
    <li>
      <strong>{filename}</strong>
      <span class="soft">
        {spansText(clip.segments)} · {length.toFixed(1)} s · {sizeText(clip.size_bytes)}
      </span>
      <div class="acts">
        {onShow !== undefined && (
          <Button kind="quiet" icon="play" label={w.showClip(filename)} onPress={() => onShow(clip)}>
            {w.show}
          </Button>
        )}
        <a
          class="button button-quiet"
          href={`${API_ROOT}/assets/${encodeURIComponent(filename)}?fileType=clips`}
          download={filename}
          aria-label={w.downloadOne(filename)}
        >
          <Icon name="download" />
          <span>{w.download}</span>
        </a>
        {onExport !== undefined && (
          <Button kind="quiet" icon="upload" label={w.exportOne(filename)} onPress={onExport}>
            {w.export}
          </Button>
        )}
      </div>
      {exports.map((job) => (
        <JobState key={job.id} job={job} />
      ))}
    </li>
  );
}
