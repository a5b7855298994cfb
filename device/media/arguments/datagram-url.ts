/** Arguments of ffmpeg for a source that comes in datagrams. */

/** Packets of 188 bytes that wait for ffmpeg. A decoder stands still for a second; what is copied waits for a reader alone. */
const WAITING_PACKETS = { decoded: 50_000, copied: 8192 };

/** Adds a buffer for a burst and an end to silence; the URL's own parameters come first. */
export function datagramUrl(url: string): string {
  const extra = ['timeout=5000000', `fifo_size=${WAITING_PACKETS.decoded}`, 'overrun_nonfatal=1'];
  const [base, query = ''] = url.split('?', 2);
  const parameters = query.split('&').filter((pair) => pair !== '');
  const missing = url.startsWith('udp:')
    ? extra.filter((pair) => !parameters.some((have) => have.startsWith(`${pair.split('=')[0]}=`)))
    : [];
  return [base, [...parameters, ...missing].join('&')].filter((part) => part !== '').join('?');
}

/** More than ffmpeg's own buffer of a copy holds: the kernel counts about twice what a datagram brings. */
const ENOUGH_BYTES = 2 ** 21;
const WANTED_BYTES = 2 ** 22;

/**
 * Returns the arguments of an input for a copy. A kernel that may keep `maxReceiveBytes` keeps the datagrams: ffmpeg's own buffer has a
 * thread, which takes a third of the time of a copy. Else that buffer is smaller, and takes 8 MB less: ffmpeg fills it whole, however little
 * waits.
 */
export function undecoded(args: readonly string[], maxReceiveBytes: number): string[] {
  const { decoded, copied } = WAITING_PACKETS;
  const buffer =
    maxReceiveBytes < ENOUGH_BYTES
      ? `fifo_size=${copied}`
      : `fifo_size=0&buffer_size=${Math.min(maxReceiveBytes, WANTED_BYTES)}`;
  return args.map((arg) => arg.replace(`fifo_size=${decoded}&`, `${buffer}&`));
}
