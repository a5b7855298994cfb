/** A cut or an export that is under way, or has failed. */
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { Button } from '../../../ui/button.tsx';
import { words } from '../words.ts';
import { removeJob, type Job } from './jobs.ts';

/** How far it is, or why it failed. */
export function JobState({ job }: { job: Job }) {
  const w = words.value;
  const name = job.name === '' ? w.newClip : job.name;
  const percent = Math.round(job.progress.value * 100);
  if (job.error !== undefined)
    return (
      <div class="job">
        <ProblemAlert problem={job.error} />
        <Button kind="quiet" icon="x" onPress={() => removeJob(job.id)}>
          {w.dismissJob(name)}
        </Button>
      </div>
    );
  return (
    <div class="job" aria-busy="true">
      <progress max={100} value={percent} aria-label={name} />
      <span>{job.kind === 'cut' ? w.cutting(percent) : w.sending(percent)}</span>
      <Button kind="quiet" icon="x" onPress={job.cancel}>
        {w.cancelJob(name)}
      </Button>
    </div>
  );
}
