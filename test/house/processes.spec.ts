import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importsOf, sourceFiles, textOf, topFolders } from './sources.ts';
import { wordsOf } from '../helpers/words.ts';

/** Files of device/ and linux/ that start processes, and which. */
const STARTERS: Record<string, string> = {
  'device/ffmpeg/launch.ts':
    'every ffmpeg and ffprobe, and the resolver of a video site, which is a program of the Device’s owner',
  'device/link/agent-process.ts': 'the Device agent',
  'device/agent/push-supervisor.ts': 'the push process',
  'device/agent/runs/spawn-runner.ts': 'runners',
  'device/agent/runs/standby-runner.ts': 'the runner that waits',
  'device/delivery/media-process.ts': 'the process that answers viewers of the control plane’s port',
  'device/agent/unprivileged.ts': 'id, before rights are given up',
  'linux/file-lock.ts': 'flock, which locks a file for this process',
  'linux/pipe.ts': 'mkfifo, which makes a pipe of which this process knows both ends',
  'linux/system-log.ts': 'logger, which writes to the system log',
  'linux/time-service.ts': 'timedatectl, which knows whether a time service keeps the clock',
  'linux/disk-space.ts': 'fallocate, which gives the journal of the store its blocks',
};
/** For those that have pipes. */
const PIPED = 'linux/piped-child.ts';
/** Files that name the type of a process and start none. */
const TYPES_ONLY = ['device/feeder/card-feeder.ts', 'device/runner/process/child.ts', 'device/ffmpeg/trial.ts'];

describe('processes', () => {
  const files = ['device', 'linux'].flatMap(sourceFiles);

  it('processes are started by the files that are named here, ffmpeg by one of them', () => {
    const importersOf = (wanted: string): string[] =>
      files.filter((file) => importsOf(file).some(({ target, path }) => (path ?? target) === wanted));
    const ofPiped = importersOf(PIPED);
    const importers = [...new Set([...importersOf('node:child_process'), ...ofPiped])].filter((file) => file !== PIPED);
    const typed = importers.filter(
      (file) => !ofPiped.includes(file) && /^import type [^;]* from 'node:child_process';$/mu.test(textOf(file)),
    );
    assert.deepEqual(typed.sort(), [...TYPES_ONLY].sort());
    assert.deepEqual(importers.filter((file) => !typed.includes(file)).sort(), Object.keys(STARTERS).sort());
  });

  it('a lock of the kernel is asked for in one place', () => {
    const askers = topFolders()
      .flatMap(sourceFiles)
      .filter((file) => /'flock'/u.test(textOf(file)));
    assert.deepEqual(
      askers.filter((file) => !file.startsWith('test/')),
      ['linux/file-lock.ts'],
    );
  });

  it('ffmpeg and ffprobe are looked for in one place', () => {
    const ours = topFolders()
      .flatMap(sourceFiles)
      .filter((file) => !file.startsWith('test/'));
    const readers = ours.filter((file) => /env(?:\.|\[')ONAIR_FF/u.test(textOf(file)));
    assert.deepEqual(readers, ['bin/environment.ts']);
  });

  it('processes of media are launched by the runner’s children and by the code that waits for one', () => {
    const launchers = files.filter((file) => /\blaunch(?:Other)?\(/u.test(textOf(file)));
    const known = wordsOf(`
      device/feeder/card-feeder.ts device/ffmpeg/identity.ts device/ffmpeg/launch.ts device/ffmpeg/run.ts device/ffmpeg/trial.ts
      device/probe/piped.ts device/runner/process/child-processes.ts
    `);
    assert.deepEqual(launchers.sort(), known);
  });
});
