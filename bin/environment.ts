/** The one reader of what the environment says to the media programs: every entry of the program hands it to device/ first. */
import { useEnvironment } from '../device/environment.ts';

/** Keeps `env` itself and no copy of it, so that a child inherits what is in it when it is started. */
export function handOnEnvironment(env: NodeJS.ProcessEnv = process.env): void {
  useEnvironment({
    ffmpeg: env['ONAIR_FFMPEG'],
    ffprobe: env['ONAIR_FFPROBE'],
    videositeResolver: env['ONAIR_VIDEOSITE_RESOLVER'],
    variables: env,
  });
}

/** Standard error is a log of one JSON object a line; which Node the AWS SDK of a later year needs is no event of it. */
export function silenceLibraries(env: NodeJS.ProcessEnv = process.env): void {
  env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
}
