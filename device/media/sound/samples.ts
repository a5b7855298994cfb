/** A pipe is cut anywhere, and 16-bit values can be read in place from even addresses only. */
export function samplesOf(audio: Buffer): Int16Array {
  const length = audio.length >> 1;
  const { buffer, byteOffset } = audio;
  return byteOffset % 2 === 0
    ? new Int16Array(buffer, byteOffset, length)
    : new Int16Array(buffer.slice(byteOffset, byteOffset + 2 * length));
}
