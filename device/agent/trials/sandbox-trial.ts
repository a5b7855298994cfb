/** The agent's trial of the sandbox: what it finds is logged, and written down for the runners and for the next agent. */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import type { Log } from '../../../domain/base/log.ts';
import { readCached, writeJson } from '../../atomic-file.ts';
import { PRLIMIT } from '../../ffmpeg/bounds.ts';
import { stateOf } from '../../ffmpeg/identity.ts';
import { PERL } from '../../ffmpeg/landlock.ts';
import { SETPRIV } from '../../ffmpeg/launch.ts';
import {
  assumeTrial,
  missingProtection,
  sandboxFile,
  sandboxRecord,
  trySandbox,
  type Trial,
} from '../../ffmpeg/trial.ts';
import { bootId } from '../../process.ts';
import type { SandboxTrial } from '../capability-probe.ts';
import { agentRecordFile } from '../paths.ts';

export function sandboxTrial(deviceDir: string, log: Log): SandboxTrial {
  const record = agentRecordFile(deviceDir);
  return {
    kept(identity) {
      const conditions = conditionsOf(identity, record);
      const trial = conditions && keptTrial(deviceDir, conditions);
      if (!trial) return undefined;
      assumeTrial(trial, record);
      tell(trial, log);
      return trial;
    },
    async begin(identity) {
      const conditions = conditionsOf(identity, record);
      const trial = await trySandbox(record);
      tell(trial, log);
      if (trial.isUntried === true) return trial;
      await writeJson(sandboxFile(deviceDir), trialRecord(trial, conditions)).catch((error: unknown) => {
        log.warn({ err: error }, 'The sandbox could not be written down; each runner tries it for itself.');
      });
      return trial;
    },
  };
}

/** The form in which a trial is written down. */
export function trialRecord(trial: Trial, conditions: string | undefined): object {
  return { ...sandboxRecord(trial), trial, conditions };
}

function tell(trial: Trial, log: Log): void {
  const { sandbox, reason } = trial;
  for (const { feature, needs } of missingProtection(trial))
    log.warn({ sandbox, reason, needs }, `This machine lacks ${feature}. It needs ${needs}.`);
  if (trial.isUntried === true)
    log.warn({ reason }, 'Whether ffmpeg can be confined is not known, for there is none to try it with.');
  else if (sandbox !== 'none') log.info({ sandbox }, 'What ffmpeg may open is confined to the files of its broadcast.');
}

/**
 * All that the result of a trial depends on: the kernel, ffmpeg and the programs that confine it, the rights of this process, and the file of
 * the data folder that was tried. Undefined where the ffmpeg cannot be told from another.
 */
export function conditionsOf(identity: string | undefined, triedFile: string): string | undefined {
  if (identity === undefined) return undefined;
  try {
    const tools = [PERL, SETPRIV, PRLIMIT].map(stateOf);
    const rights = readFileSync('/proc/self/status', 'utf8').match(
      /^(?:Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp\w*):.*$/gmu,
    );
    const spaces = ['mnt', 'user'].map((name) => readlinkSync(`/proc/self/ns/${name}`));
    const facts = [bootId(), identity, ...tools, ...(rights ?? []), ...spaces, securityLabel(), triedFile];
    return createHash('sha256').update(facts.join('\n')).digest('hex');
  } catch {
    // A tool is missing, and may come at any moment.
    return undefined;
  }
}

function securityLabel(): string {
  try {
    return readFileSync('/proc/self/attr/current', 'utf8');
  } catch {
    // This kernel labels no processes.
    return '';
  }
}

function keptTrial(deviceDir: string, conditions: string): Trial | undefined {
  const kept = readCached(sandboxFile(deviceDir)) as { trial?: Trial; conditions?: string } | null | undefined;
  return kept?.conditions === conditions ? kept.trial : undefined;
}
