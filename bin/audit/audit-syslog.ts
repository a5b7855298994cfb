/** Audit entries as messages of syslog (RFC 5424), facility 13 (log audit), each with the entry as JSON. */
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { hostname } from 'node:os';
import { sendToSystemLog } from '../../linux/system-log.ts';
import type { AuditEntry } from '../../domain/shapes/installation/security.ts';
import type { AuditCopy } from './copy.ts';

/** Facility 13, severity 6 (informational), as RFC 5424 §6.2.1 adds them up. */
const PRIORITY = 13 * 8 + 6;
const DEFAULT_PORT = 514;

export function auditSyslog(to: string): AuditCopy {
  return to.startsWith('/') ? overSocket(to) : overUdp(new URL(to));
}

function overSocket(path: string): AuditCopy {
  return {
    name: `The system log at ${path}`,
    write: (entries) =>
      sendToSystemLog(
        path,
        entries.map((entry) => JSON.stringify(entry)),
        { priority: PRIORITY, tag: 'onair', id: 'audit' },
      ),
    close: () => Promise.resolve(),
  };
}

function overUdp({ hostname: host, port, host: address }: URL): AuditCopy {
  const name = host.replace(/^\[|\]$/gu, '');
  const socket = createSocket(isIPv6(name) ? 'udp6' : 'udp4');
  // A failed send has its own answer; without a listener the next one would end the process.
  socket.on('error', () => undefined);
  socket.unref();
  const send = (message: string): Promise<void> =>
    new Promise((resolve, reject) => {
      socket.send(message, Number(port || DEFAULT_PORT), name, (error) => (error === null ? resolve() : reject(error)));
    });
  return {
    name: `The syslog server ${address}`,
    async write(entries) {
      for (const entry of entries) await send(messageOf(entry));
    },
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** RFC 5424 §6: header, no structured data, text. */
function messageOf(entry: Readonly<AuditEntry>): string {
  return `<${PRIORITY}>1 ${entry.at} ${hostname()} onair ${process.pid} audit - ${JSON.stringify(entry)}`;
}
