/** A runtime that stands in for NDI's, compiled from ndi-runtime.c; the one of its makers may not be given on. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../house/sources.ts';

/** The reason to skip what needs it. */
export const noCompiler =
  spawnSync('gcc', ['--version']).status === 0 ? false : 'needs gcc: apt-get install gcc libc6-dev';

export interface TestRuntime {
  /** For NDI_RUNTIME_DIR_V6. */
  folder: string;
  /** They hold from its next frame on. */
  gives(values: Record<string, number>): void;
  /** Answers what was ordered of it: `name STUDIO (Camera 1)`, `hosts 192.0.2.1`. */
  orders(): string[];
}

export function standInNdi(dir: string, values: Record<string, number> = {}): TestRuntime {
  const folder = join(dir, 'ndi');
  mkdirSync(folder);
  const library = join(folder, 'libndi.so.6');
  execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-o', library, join(ROOT, 'test/helpers/ndi-runtime.c'), '-ldl']);
  let present: Record<string, number> = {};
  const gives = (more: Record<string, number>): void => {
    present = { ...present, ...more };
    const lines = Object.entries(present).map(([word, value]) => `${word} ${value}\n`);
    writeFileSync(`${library}.conf`, lines.join(''));
  };
  gives(values);
  const notes = `${library}.conf.asked`;
  return { folder, gives, orders: () => (existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : []) };
}
