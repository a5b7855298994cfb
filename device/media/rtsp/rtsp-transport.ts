/** The header Transport (RFC 2326 §12.39): media in the connection itself, or in datagrams. */

type Pair = [media: number, control: number];

export interface RtspTransport {
  isTcp: boolean;
  /** Channels of interleaved frames. */
  interleaved: Pair | undefined;
  /** Ports from which the server sends. */
  serverPorts: Pair | undefined;
}

/** Reads the first of the transports in the value. */
export function parseTransport(value: string): RtspTransport {
  const [protocol = '', ...parameters] = value
    .split(',')[0]!
    .split(';')
    .map((part) => part.trim());
  return {
    isTcp: /^RTP\/AVP\/TCP$/iu.test(protocol),
    interleaved: pairOf(parameters, 'interleaved', 255),
    serverPorts: pairOf(parameters, 'server_port', 65_535),
  };
}

/** The second number may be left out: it is the next one. */
function pairOf(parameters: readonly string[], name: string, max: number): Pair | undefined {
  const text = parameters.find((part) => part.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  const [, first, second] = /^(\d{1,5})(?:-(\d{1,5}))?$/u.exec(text) ?? [];
  if (first === undefined) return undefined;
  const pair: Pair = [Number(first), Number(second ?? Number(first) + 1)];
  return pair.every((number) => number <= max) ? pair : undefined;
}

export function tcpTransport([media, control]: Pair): string {
  return `RTP/AVP/TCP;unicast;interleaved=${media}-${control}`;
}

export function udpTransport([media, control]: Pair): string {
  return `RTP/AVP;unicast;client_port=${media}-${control}`;
}
