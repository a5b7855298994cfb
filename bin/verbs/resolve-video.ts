/** `onair resolve-video` finds the address of a video as a Device does, so that a person can see whether the site lets it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { foreignEnvironment } from '../../device/environment.ts';
import { INSTALL_RESOLVER, resolverArgs, resolverProgram } from '../../device/media/arguments/videosite-input.ts';
import { AppError, invalidInput } from '../../domain/base/errors.ts';

const run = promisify(execFile);
/** A Device gives up after 15 s; a person may see how long it takes. */
const RESOLVE_MS = 60_000;

export async function resolveVideo(video: string): Promise<void> {
  if (!/^(?:[\w-]{11}|https?:\/\/\S+)$/u.test(video))
    throw invalidInput([
      {
        field: 'video',
        code: 'invalid_value',
        message: 'must be the id of a video, 11 characters, or its web address',
      },
    ]);
  // A setting may name a program that calls this command, so it is not asked.
  const program = resolverProgram(undefined);
  if (program === undefined)
    throw new AppError('unavailable', `${video} cannot be looked for, because there is no yt-dlp here.`, {
      remedy: `Install ${INSTALL_RESOLVER}.`,
    });
  try {
    const { stdout } = await run(program, resolverArgs(video), { timeout: RESOLVE_MS, env: foreignEnvironment() });
    process.stdout.write(stdout);
  } catch (cause) {
    const words = (cause as { stderr?: string }).stderr?.trim().split('\n').at(-1) ?? '';
    throw new AppError('upstream_failed', `yt-dlp has found no stream of ${video}.`, {
      cause,
      ...(words !== '' && { upstream: words }),
      remedy:
        'See that the channel is live and public; a yt-dlp that is some months old is renewed with `pipx upgrade yt-dlp`.',
    });
  }
}
