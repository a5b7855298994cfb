// Compares the lock file with the advisories of the package registry, and fails on one of severity high or above in what is in the program
// or is installed with it, as the bill of materials lists it. Where the registry has no advisories, it says so and passes: nothing is known
// then, and SECURITY.md names the command.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';
import { BILL } from './package/bill.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SERIOUS = ['high', 'critical'];
const bill = join(root, 'dist', BILL);

if (!existsSync(bill)) {
  say(`there is no bill of materials; run npm run build first`);
  process.exit(1);
}
const shipped = new Set(
  JSON.parse(readFileSync(bill, 'utf8')).components.map(({ name, version }) => `${name}@${version}`),
);
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
// Development packages are asked for too: all that is bundled is one of them.
const { stdout, error } = spawnSync('npm', ['audit', '--package-lock-only', '--json'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 << 20,
  timeout: 60_000,
});
const report = parse(stdout);
if (report?.metadata?.vulnerabilities === undefined) {
  const why = report?.message ?? report?.error?.summary ?? error?.message ?? 'no answer';
  say(`no advisory source was reached (${why}); nothing was checked. By hand: npm audit`);
} else {
  const isShipped = ({ name, nodes = [] }) =>
    nodes.some((folder) => shipped.has(`${name}@${packages[folder]?.version}`));
  const found = Object.values(report.vulnerabilities ?? {}).filter(
    (each) => SERIOUS.includes(each.severity) && isShipped(each),
  );
  for (const { name, severity, range } of found) say(`${severity}: ${name} ${range}`);
  say(
    found.length === 0
      ? `no advisory of severity high or above for the ${shipped.size} packages of the program`
      : `${found.length} packages have advisories`,
  );
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
