// Clients that ask and do not read, in a process of their own: host, port, how many, and what each sends at once.
// Prints a line of JSON a second: connections that are open, and those that were refused (503).
import { connect } from 'node:net';

const [host, port, count, text] = process.argv.slice(2);
const seen = { open: 0, refused: 0 };

for (let index = 0; index < Number(count); index += 1) {
  const socket = connect(Number(port), host);
  // The status alone: one read, then never again.
  socket.once('data', (chunk) => {
    socket.pause();
    if (chunk.toString('latin1', 0, 12) !== 'HTTP/1.1 503') return;
    seen.refused += 1;
    socket.destroy();
  });
  socket.once('connect', () => {
    seen.open += 1;
    socket.write(text);
  });
  socket.on('error', () => undefined);
  socket.once('close', () => (seen.open -= 1));
}
setInterval(() => process.stdout.write(`${JSON.stringify(seen)}\n`), 1000);
process.stdin.resume().once('end', () => process.exit());
