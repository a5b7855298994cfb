/** Options of an output that no process list may show, as the lines of a file for -fpre. */

/**
 * ffmpeg reads such a file with fgets into 1000 bytes, the closing zero among them. The rest of a longer line is another line, and so an
 * option that the author of the value has chosen (a certificate need not be verified, for one).
 */
const MAX_LINE_BYTES = 999;

/** Leaves out empty values. Throws TypeError for a value that would not stay within its line. */
export function presetOf(options: Record<string, string>): string {
  const entries = Object.entries(options).filter(([, value]) => value !== '');
  return entries.map(([name, value]) => lineOf(name, value)).join('');
}

function lineOf(name: string, value: string): string {
  if (/[\u0000-\u001f\u007f]/u.test(value))
    throw new TypeError(
      'A stream key, stream id or passphrase must not contain line breaks or other control characters.',
    );
  const line = `${name}=${value}\n`;
  if (Buffer.byteLength(line) > MAX_LINE_BYTES)
    throw new TypeError(
      `A stream key or application of ${Buffer.byteLength(value)} bytes is too long; use at most 900.`,
    );
  return line;
}
