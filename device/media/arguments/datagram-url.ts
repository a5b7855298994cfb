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

/** Returns the arguments of an input for a copy, which takes 8 MB less: ffmpeg fills its whole buffer, however little waits. */
export function undecoded(args: readonly string[]): string[] {
  const { decoded, copied } = WAITING_PACKETS;
  return args.map((arg) => arg.replace(`fifo_size=${decoded}&`, `fifo_size=${copied}&`));
}
