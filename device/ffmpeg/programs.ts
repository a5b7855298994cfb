/** The paths of ffmpeg, ffprobe and of the programs that confine them. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { environment } from '../environment.ts';

export type MediaProgram = 'ffmpeg' | 'ffprobe';

/** The program that a setting names, or the name itself, which is then looked for in PATH. */
export function programOf(name: MediaProgram): string {
  return environment()[name] ?? name;
}

/** A service manager or a container may start us without PATH; every system has programs in these folders. */
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Only absolute folders of PATH count: an empty or relative one means the working directory, where a stranger's file may lie. */
function searchFolders(): string[] {
  return (environment().variables['PATH'] || DEFAULT_PATH).split(':').filter(isAbsolute);
}

/** An absolute path without symbolic links; undefined when there is no such program. */
export function findProgram(program: string): string | undefined {
  const paths = program.includes('/') ? [resolve(program)] : searchFolders().map((folder) => join(folder, program));
  for (const path of paths) {
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return realpathSync(path);
    } catch {
      // The next folder may have it.
    }
  }
  return undefined;
}

/** A sentence that says why the program cannot be started, and what to do. */
export function notFound(program: string): string {
  const where = program.includes('/')
    ? 'is no executable file'
    : `is in none of the folders ${searchFolders().join(', ')}`;
  return `The program ${program} cannot be started, for it ${where}. Install it, or name its path in the environment of the Device (ONAIR_FFMPEG, ONAIR_FFPROBE).`;
}
