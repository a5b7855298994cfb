/**
 * Landlock (landlock(7), Linux 5.13): a process gives up every file that is not named, for itself and all that it starts, and cannot take
 * it back. It needs neither root nor namespaces, and the process stays the one that was started: its pid, its signals and its end are
 * those of ffmpeg, which a monitor around it (bubblewrap) would hide. Node calls no system call by number, and util-linux has learnt
 * Landlock in 2.40 only (Debian 12 has 2.38): so perl, which every Debian has, makes the three calls and becomes ffmpeg.
 */
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { environment } from '../environment.ts';

export const PERL = '/usr/bin/perl';

/** linux/landlock.h: LANDLOCK_ACCESS_FS_… */
const EXECUTE = 1;
const WRITE_FILE = 2;
const READ_FILE = 4;
const READ_DIR = 8;
const MAKE_REG = 256;
const TRUNCATE = 16_384;
const READ = READ_FILE | READ_DIR;
const RUN = READ | EXECUTE;
const WRITE = READ_FILE | WRITE_FILE | TRUNCATE;
const MAKE = MAKE_REG | WRITE_FILE | TRUNCATE;

/** What a process is let at beside its program, libraries and certificates. Descriptors that it inherits are open to it anyway. */
export interface FileAccess {
  reads?: readonly string[];
  /** Files to write, and to read again. They are made empty beforehand where they are not there. */
  writes?: readonly string[];
  /** Folders in which it may make files, and write those that are there. */
  makesIn?: readonly string[];
}

/** Programs and libraries; of /usr/local and /opt no more than that, for somebody may keep the data of this service there. */
const SYSTEM = [
  ...['/bin', '/lib', '/lib32', '/lib64', '/usr/bin', '/usr/lib', '/usr/lib32', '/usr/lib64', '/usr/libexec'],
  ...['/usr/local/bin', '/usr/local/lib', '/usr/local/lib64', '/nix/store', '/gnu/store'],
];
/** Names, certificates, fonts, time zones. Not /etc as a whole: users, keys and settings of other services are there. */
const READABLE = [
  ...['/usr/share', '/usr/local/share/ca-certificates', '/usr/local/share/fonts', '/etc/alternatives', '/etc/fonts'],
  ...['ld.so.cache', 'ld.so.preload', 'ld.so.conf', 'ld.so.conf.d', 'hosts', 'host.conf', 'nsswitch.conf', 'gai.conf'].map(inEtc),
  ...['resolv.conf', 'services', 'protocols', 'localtime', 'timezone', 'ssl/certs', 'ssl/openssl.cnf', 'ssl/cert.pem'].map(inEtc),
  ...['ssl/ca-bundle.pem', 'ca-certificates', 'pki/tls/certs', 'pki/tls/openssl.cnf', 'pki/ca-trust', 'gnutls'].map(inEtc),
  ...['crypto-policies', 'libva.conf'].map(inEtc),
  // How many cores there are, and what they can.
  ...['/sys/devices/system/cpu', '/sys/devices/system/node', '/proc/cpuinfo', '/proc/meminfo', '/proc/stat', '/proc/self'],
  ...['/dev/urandom', '/dev/random', '/dev/zero'],
]; // prettier-ignore

function inEtc(name: string): string {
  return `/etc/${name}`;
}

/** Rights and path of each rule, `7:/a/file`. Of the rights of a file those of a folder are left out by who applies it. */
export function rulesOf(program: string, access: FileAccess): string[] {
  const { variables } = environment();
  const certificates = [variables['SSL_CERT_FILE'] ?? '', variables['SSL_CERT_DIR'] ?? ''];
  const grants: [number, readonly string[]][] = [
    [RUN, [...SYSTEM, program]],
    [READ, [...READABLE, ...resolverFolder(), ...certificates]],
    [READ_FILE, librariesOf(program)],
    [READ_FILE | WRITE_FILE, ['/dev/null']],
    [READ_FILE, access.reads ?? []],
    [WRITE, access.writes ?? []],
    [MAKE, access.makesIn ?? []],
  ]; // prettier-ignore
  return grants.flatMap(([rights, paths]) => paths.filter((path) => path !== '').map((path) => `${rights}:${path}`));
}

/**
 * The shared libraries that a build brings along, each by its own rule: somebody may have put the program in a home folder, and what else
 * lies beside it is no business of ffmpeg's.
 */
function librariesOf(program: string): string[] {
  const folder = dirname(program);
  const named = (environment().variables['LD_LIBRARY_PATH'] ?? '').split(':').filter(isAbsolute);
  const folders = new Set([folder, join(folder, '..', 'lib'), join(folder, '..', 'lib64'), ...named]);
  return [...folders].filter((path) => !SYSTEM.includes(path)).flatMap(librariesIn);
}

const LIBRARY = /\.so(?:\.\d+)*$/u;

function librariesIn(folder: string): string[] {
  try {
    const paths = readdirSync(folder).filter((name) => LIBRARY.test(name)).map((name) => join(folder, name));
    return paths.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
  } catch {
    return [];
  }
} // prettier-ignore

/** A rule is about a file, not its name. What writes resolv.conf puts a new file in its place, in a folder under /run mostly. */
function resolverFolder(): string[] {
  try {
    const folder = dirname(realpathSync('/etc/resolv.conf'));
    return folder.startsWith('/run/') && folder !== '/run' ? [folder] : [];
  } catch {
    return [];
  }
}

/** linux/audit.h and the system call tables: what the filter of sockets is made for. */
const MACHINES: Partial<Record<NodeJS.Architecture, { audit: number; socket: number; prctl: number }>> = {
  x64: { audit: 0xc000003e, socket: 41, prctl: 157 },
  arm64: { audit: 0xc00000b7, socket: 198, prctl: 167 },
};
const IO_URING_SETUP = 425;
/** On x64 the same calls under another number. */
const X32_BIT = 0x40000000;
const AF_UNIX = 1;

/**
 * Landlock lets a process connect to any socket file that its user may open: our own agent's, and the session bus, which starts
 * programs. So no socket of that family can be made at all (seccomp(2), io_uring with it, which makes sockets past any filter). Names of
 * .local, which glibc asks of Avahi by such a socket, are then not found. Hexadecimal; empty on a machine whose calls are not known.
 */
export function socketFilter(arch: NodeJS.Architecture = process.arch): string {
  const machine = MACHINES[arch];
  if (machine === undefined) return '';
  const LOAD = 0x20;
  const IF_EQUAL = 0x15;
  const IF_LEAST = 0x35;
  const RETURN = 0x06;
  const ALLOW = 0x7fff0000;
  const DENY = 0x00050000 | 13;
  // Offsets in struct seccomp_data: 0 the call, 4 the machine, 16 the low half of the first argument.
  const program: [code: number, jumpIf: number, jumpElse: number, value: number][] = [
    [LOAD, 0, 0, 4],
    [IF_EQUAL, 0, 7, machine.audit],
    [LOAD, 0, 0, 0],
    [IF_LEAST, 5, 0, X32_BIT],
    [IF_EQUAL, 4, 0, IO_URING_SETUP],
    [IF_EQUAL, 0, 2, machine.socket],
    [LOAD, 0, 0, 16],
    [IF_EQUAL, 1, 0, AF_UNIX],
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, DENY],
  ];
  const bytes = program.map(([code, jumpIf, jumpElse, value]) => {
    const line = Buffer.alloc(8);
    line.writeUInt16LE(code, 0);
    line.set([jumpIf, jumpElse], 2);
    line.writeUInt32LE(value, 4);
    return line;
  });
  return Buffer.concat(bytes).toString('hex');
}

/**
 * Arguments: rules, `--`, the filter, the number of prctl, the program and its arguments. 444 to 446 are Landlock's on every machine. It
 * handles what the kernel's version knows (a later one knows more), signals to and abstract sockets of outsiders among it from version 6 on. Whatever cannot be applied ends
 * it: 125 tells its caller that ffmpeg was never there.
 */
const PROGRAM = `
sub refuse { print STDERR "[error] The sandbox cannot be set up: $_[0]: $!\\n"; exit 125 }
my @rules;
while (@ARGV) { my $rule = shift; last if $rule eq '--'; push @rules, $rule }
my ($filter, $prctl) = (pack('H*', shift), shift() + 0);
my $version = syscall(444, 0, 0, 1);
refuse('Landlock') if $version < 1;
my $handled = 0x1fff | ($version >= 2 ? 0x2000 : 0) | ($version >= 3 ? 0x4000 : 0) | ($version >= 5 ? 0x8000 : 0);
my $ruleset = pack('Q', $handled) . ($version >= 4 ? pack('Q', 0) : '') . ($version >= 6 ? pack('Q', 3) : '');
my $set = syscall(444, $ruleset, length $ruleset, 0);
refuse('landlock_create_ruleset') if $set < 0;
for (@rules) {
  my ($rights, $path) = /^([0-9]+):(.*)$/s;
  sysopen(my $at, $path, 0x280000) or next;
  $rights &= 0xc007 unless -d $at;
  my $rule = pack('Ql', $rights & $handled, fileno $at);
  syscall(445, $set, 1, $rule, 0) == 0 or refuse($path);
}
syscall(446, $set, 0) == 0 or refuse('landlock_restrict_self');
if (length $filter) {
  my $code = pack('Sx6P', length($filter) / 8, $filter);
  syscall($prctl, 22, 2, $code, 0, 0) == 0 or refuse('seccomp');
}
exec { $ARGV[0] } @ARGV or refuse($ARGV[0]);
`;

/** Begins a command that is confined to its rules; what is started must have no_new_privs already. */
export function confine(program: string, access: FileAccess): string[] {
  const prctl = MACHINES[process.arch]?.prctl ?? 0;
  return [PERL, '-e', PROGRAM, '--', ...rulesOf(program, access), '--', socketFilter(), String(prctl)];
}
