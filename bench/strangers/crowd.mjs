// Strangers who hold connections, in a process of their own: one JSON argument says how many there are, from where, and what each does. Who
// is cut comes again. Prints a line once all have connected for the first time.
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

const {
  port,
  count,
  from,
  tls,
  text = '',
  hex = '',
  isSlow = false,
  requests = 0,
  path = '',
} = JSON.parse(process.argv[2]);
const AGAIN_MS = 1000;
const place = { port, host: '127.0.0.1', localAddress: from, family: 4 };
let connected = 0;

function come(isFirst) {
  const secure = { ...place, rejectUnauthorized: false, ALPNProtocols: requests > 0 ? ['h2'] : ['http/1.1'] };
  const socket = tls ? connectTls(secure) : connect(place);
  socket.on('error', () => undefined);
  socket.once('close', () => setTimeout(come, AGAIN_MS, false));
  const begin = () => {
    if (isFirst && ++connected === count) process.stdout.write('all\n');
    if (requests > 0) ask(socket);
    // Nothing of an answer is read.
    else if (text !== '' || hex !== '') socket.pause().write(text || Buffer.from(hex, 'hex'));
    else socket.resume();
    if (!isSlow) return;
    const drip = setInterval(() => socket.write('x'), AGAIN_MS);
    socket.once('close', () => clearInterval(drip));
  };
  socket.once(tls ? 'secureConnect' : 'connect', begin);
}

/** HTTP/2 with windows of 0: the server may send no byte of a body. */
function ask(socket) {
  const session = connectHttp2(`https://127.0.0.1:${port}`, {
    createConnection: () => socket,
    settings: { initialWindowSize: 0 },
  });
  session.on('error', () => undefined);
  for (let at = 0; at < requests; at += 1) session.request({ ':path': path }).on('error', () => undefined);
}

for (let at = 0; at < count; at += 1) come(true);
process.stdin.resume().once('end', () => process.exit());
