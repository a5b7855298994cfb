/** Measures a server before its first broadcast: the time from the start of the process to its first answer, and its cost while nothing is asked. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processesOf, startService } from '../../test/helpers/service.ts';
import { sleepSeconds, useOf, type Use } from '../copy/use.ts';
import { startNginx } from './nginx.ts';

const SETTLE_SECONDS = 10;
const MEASURED_SECONDS = 20;

export interface Idle extends Use {
  readySeconds: number;
}

export async function oursIdle(): Promise<Idle> {
  const from = performance.now();
  const service = await startService();
  try {
    const readySeconds = (performance.now() - from) / 1000;
    await sleepSeconds(SETTLE_SECONDS);
    const pids = processesOf(service.scratch).map(({ pid }) => pid);
    return { ...(await useOf(pids, MEASURED_SECONDS)), readySeconds };
  } finally {
    await service.dispose();
  }
}

export async function nginxIdle(): Promise<Idle> {
  const dir = mkdtempSync(join(tmpdir(), 'onair-bench-'));
  const from = performance.now();
  const nginx = await startNginx(dir, { work: `hls on; hls_path ${dir}; hls_fragment 6s;` });
  try {
    const readySeconds = (performance.now() - from) / 1000;
    await sleepSeconds(SETTLE_SECONDS);
    return { ...(await useOf(nginx.pids(), MEASURED_SECONDS)), readySeconds };
  } finally {
    await nginx.end();
    rmSync(dir, { recursive: true, force: true });
  }
}
