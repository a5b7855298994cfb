/** The ffmpeg of this machine as the harness has found it, before any test (fixtures/machine-room.ts): nobody asks it or tries its sandbox again. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { trialFile, trialKey } from '../../device/agent/trials/encoding-trial.ts';
import { agentRecordFile } from '../../device/agent/paths.ts';
import { conditionsOf, trialRecord } from '../../device/agent/trials/sandbox-trial.ts';
import { sandboxFile, type Trial } from '../../device/ffmpeg/trial.ts';
import { BUILD } from './made-once.ts';

/** Puts what is known into the folder of a Device, where its agent and its runners look. */
export function giveKnownFfmpeg(deviceDir: string): void {
  if (BUILD === undefined || !existsSync(join(BUILD, 'ffmpeg.json')) || existsSync(sandboxFile(deviceDir))) return;
  mkdirSync(deviceDir, { recursive: true, mode: 0o700 });
  copyFileSync(join(BUILD, 'ffmpeg.json'), join(deviceDir, 'ffmpeg.json'));
  const { identity } = readJson<{ identity: string }>(join(BUILD, 'ffmpeg.json'));
  const { trial } = readJson<{ trial: Trial }>(sandboxFile(BUILD));
  const record = trialRecord(trial, conditionsOf(identity, agentRecordFile(deviceDir)));
  const encoding = { cores: 0.33, factor: 1, tried_at: '2026-01-01T00:00:00.000Z' };
  const kept = { key: trialKey(identity, availableParallelism()), trial: encoding };
  writeFileSync(trialFile(deviceDir), JSON.stringify(kept), { mode: 0o600 });
  writeFileSync(sandboxFile(deviceDir), JSON.stringify(record), { mode: 0o600 });
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}
