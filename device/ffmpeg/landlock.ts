/**
 * Landlock (landlock(7), Linux 5.13): a process gives up every file that is not named, for itself and all that it starts, and cannot take
 * it back. It needs neither root nor namespaces, and the process stays the one that was started: its pid, its signals and its end are those
 * of ffmpeg, which a monitor around it (bubblewrap) would hide. Node calls no system call by number, and util-linux has Landlock since 2.40
 * only (Debian 12 has 2.38). So perl, which every Debian has, makes the three calls and is then replaced by ffmpeg.
 */
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { environment } from '../environment.ts';

export const PERL = '/usr/bin/perl';

/** Values of LANDLOCK_ACCESS_FS_… in linux/landlock.h. */
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

/** Files that a process may open beside its program, libraries and certificates. Descriptors that it inherits are open to it anyway. */
export interface FileAccess {
  reads?: readonly string[];
  /** Files that it may write and read again. Missing ones are created empty beforehand. */
  writes?: readonly string[];
  /** Folders in which it may create files, and write those that exist. */
  makesIn?: readonly string[];
}

/** Folders of programs and libraries. /usr/local and /opt are not in it as a whole: somebody may keep the data of this service there. */
const SYSTEM = [
  '/bin',
  '/lib',
  '/lib32',
  '/lib64',
  '/usr/bin',
  '/usr/lib',
  '/usr/lib32',
  '/usr/lib64',
  '/usr/libexec',
  '/usr/local/bin',
  '/usr/local/lib',
  '/usr/local/lib64',
  '/nix/store',
  '/gnu/store',
];
/** Host names, certificates, fonts and time zones. /etc is not in it as a whole: it has users, keys and settings of other services. */
const READABLE = [
  '/usr/share',
  '/usr/local/share/ca-certificates',
  '/usr/local/share/fonts',
  '/etc/alternatives',
  '/etc/fonts',
  '/etc/ld.so.cache',
  '/etc/ld.so.preload',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/hosts',
  '/etc/host.conf',
  '/etc/nsswitch.conf',
  '/etc/gai.conf',
  '/etc/resolv.conf',
  '/etc/services',
  '/etc/protocols',
  '/etc/localtime',
  '/etc/timezone',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/ssl/cert.pem',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ca-certificates',
  '/etc/pki/tls/certs',
  '/etc/pki/tls/openssl.cnf',
  '/etc/pki/ca-trust',
  '/etc/gnutls',
  '/etc/crypto-policies',
  '/etc/libva.conf',
  // ffmpeg and its encoders ask how many cores there are, and what those can.
  '/sys/devices/system/cpu',
  '/sys/devices/system/node',
  '/proc/cpuinfo',
  '/proc/meminfo',
  '/proc/stat',
  '/proc/self',
  '/dev/urandom',
  '/dev/random',
  '/dev/zero',
];

/** The rules as `7:/a/file`, which is rights and path. The perl program drops the rights of folders from a rule about a file. */
function rulesOf(program: string, access: FileAccess): string[] {
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
  ];
  return grants.flatMap(([rights, paths]) => paths.filter((path) => path !== '').map((path) => `${rights}:${path}`));
}

/**
 * Shared libraries that a build brings along, each with its own rule: the program may lie in a home folder, and ffmpeg needs nothing else
 * there.
 */
function librariesOf(program: string): string[] {
  const folder = dirname(program);
  const libraryFolders = (environment().variables['LD_LIBRARY_PATH'] ?? '').split(':').filter(isAbsolute);
  const folders = new Set([folder, join(folder, '..', 'lib'), join(folder, '..', 'lib64'), ...libraryFolders]);
  return [...folders].filter((path) => !SYSTEM.includes(path)).flatMap(librariesIn);
}

const LIBRARY = /\.so(?:\.\d+)*$/u;

function librariesIn(folder: string): string[] {
  try {
    const paths = readdirSync(folder)
      .filter((name) => LIBRARY.test(name))
      .map((name) => join(folder, name));
    return paths.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
  } catch {
    // A build need not bring a folder of libraries along.
    return [];
  }
}

/**
 * A rule is about a file and not about its name. Programs that write resolv.conf replace it by a new file, mostly in a folder under /run.
 */
function resolverFolder(): string[] {
  try {
    const folder = dirname(realpathSync('/etc/resolv.conf'));
    return folder.startsWith('/run/') && folder !== '/run' ? [folder] : [];
  } catch {
    // A machine without this file has no resolver that ffmpeg could read.
    return [];
  }
}

/** Numbers of linux/audit.h and the system call tables, for the machines that the socket filter is made for. */
const MACHINES: Partial<Record<NodeJS.Architecture, { audit: number; socket: number; prctl: number }>> = {
  x64: { audit: 0xc000003e, socket: 41, prctl: 157 },
  arm64: { audit: 0xc00000b7, socket: 198, prctl: 167 },
};
const IO_URING_SETUP = 425;
/** On x64 the same calls exist under another number with this bit. */
const X32_BIT = 0x40000000;
const AF_UNIX = 1;

/**
 * Landlock lets a process connect to any socket file that its user may open: our own agent's, and the session bus, which starts programs.
 * So no socket of that family can be made at all (seccomp(2); io_uring is closed with it, since it makes sockets past any filter). Names of
 * .local, which glibc asks of Avahi by such a socket, do not resolve then. The result is hexadecimal, and empty on a machine whose calls
 * are not known.
 */
function socketFilter(arch: NodeJS.Architecture = process.arch): string {
  const machine = MACHINES[arch];
  if (machine === undefined) return '';
  const LOAD = 0x20;
  const IF_EQUAL = 0x15;
  const IF_LEAST = 0x35;
  const RETURN = 0x06;
  const ALLOW = 0x7fff0000;
  const DENY = 0x00050000 | 13;
  // Offsets in struct seccomp_data are 0 for the call, 4 for the machine and 16 for the low half of the first argument.
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
 * Its arguments are the rules, `--`, the filter, the number of prctl, the program and its arguments. The calls 444 to 446 are Landlock's on
 * every machine. It handles all rights that the kernel's version knows, from version 6 on also signals to other processes and abstract
 * sockets. Any failure ends it with 125, which tells the caller that ffmpeg never ran.
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

/** The head of a command line that confines the rest to its rules; the process must have no_new_privs already. */
export function confine(program: string, access: FileAccess): string[] {
  const prctl = MACHINES[process.arch]?.prctl ?? 0;
  return [PERL, '-e', PROGRAM, '--', ...rulesOf(program, access), '--', socketFilter(), String(prctl)];
}
