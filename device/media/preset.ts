/** Options of an output that no process list may show, as the lines of a file for -fpre. */

/**
 * ffmpeg reads such a file with fgets into 1000 bytes: what stands behind byte 999 of a line begins another one, which is an option of
 * whoever wrote the value. The name of an option and `=` take 16 bytes at most.
 */
export const MOST_PRESET_BYTES = 900;

/** Empty values are left out. Throws TypeError for a value that would not stay within its line. */
export function presetOf(options: Record<string, string>): string {
  const given = Object.entries(options).filter(([, value]) => value !== '');
  return given.map(([name, value]) => `${name}=${oneLine(value)}\n`).join('');
}

function oneLine(value: string): string {
  if (/[\u0000-\u001f\u007f]/u.test(value))
    throw new TypeError('A stream key, stream id or passphrase must not contain line breaks or other control characters.');
  const bytes = Buffer.byteLength(value);
  if (bytes > MOST_PRESET_BYTES)
    throw new TypeError(`A stream key or application has at most ${MOST_PRESET_BYTES} bytes; this one has ${bytes}.`);
  return value;
}
