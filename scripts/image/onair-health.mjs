// Tells the container's runtime whether the server answers. It does not ask whether the disk takes writes (/readyz): whoever replaces an
// unhealthy container takes its broadcasts off air.
import { get as getPlain } from 'node:http';
import { get as getSecure } from 'node:https';

const { ONAIR_PORT: port, ONAIR_TLS_CERT: certificate } = process.env;
const get = certificate ? getSecure : getPlain;
// It is this very machine, whatever name is in the certificate.
const request = get({ host: '127.0.0.1', port, path: '/healthz', timeout: 4000, rejectUnauthorized: false });
const end = (problem) => {
  process.stdout.write(problem ? `onair does not answer on port ${port}: ${problem}\n` : 'onair answers\n');
  process.exit(problem ? 1 : 0);
};
request.on('response', ({ statusCode }) => end(statusCode === 200 ? undefined : `status ${statusCode}`));
request.on('timeout', () => end('nothing within 4 s'));
request.on('error', ({ message }) => end(message));
