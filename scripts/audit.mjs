// Compares the lock file with the advisories of the package registry, and fails on one of severity high or above in what is shipped.
// Where the registry has no advisories, it says so and passes: nothing is known then, and SECURITY.md names the command.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { dirname } from 'node:path';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SERIOUS = ['high', 'critical'];

const { stdout, error } = spawnSync('npm', ['audit', '--omit=dev', '--package-lock-only', '--json'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 << 20,
  timeout: 60_000,
});
const report = parse(stdout);
if (report?.metadata?.vulnerabilities === undefined) {
  const why = report?.message ?? report?.error?.summary ?? error?.message ?? 'no answer';
  say(`no advisory source was reached (${why}); nothing was checked. By hand: npm audit --omit=dev`);
} else {
  const found = Object.values(report.vulnerabilities ?? {}).filter(({ severity }) => SERIOUS.includes(severity));
  for (const { name, severity, range } of found) say(`${severity}: ${name} ${range}`);
  say(found.length === 0 ? 'no advisory of severity high or above' : `${found.length} packages have advisories`);
  if (found.length > 0) process.exitCode = 1;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    // npm has printed no report; the caller says so.
    return undefined;
  }
}

function say(text) {
  process.stderr.write(`onair audit: ${text}\n`);
}
