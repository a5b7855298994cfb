/** undefined where `to` is fine: the path of a socket, or udp://host:port. */
export function syslogIssue(to: string): string | undefined {
  const isUdp = URL.canParse(to) && new URL(to).protocol === 'udp:' && new URL(to).hostname !== '';
  return to.startsWith('/') || isUdp ? undefined : 'must be the path of a socket such as /dev/log, or udp://host:port';
}
