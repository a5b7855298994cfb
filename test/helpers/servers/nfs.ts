/**
 * nfs-ganesha with exports in memory: `/rw` and `/ro`. Version 4 needs one port and no rpcbind, and its memory back end none of the
 * capabilities that a container lacks (file handles of a real file system need CAP_DAC_READ_SEARCH). It keeps the first
 * `mostFileBytes` bytes of a file and answers the letter a for the rest.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../ports.ts';
import { lacking, removeFolder, scratchFolder, startProgram, type Running } from './program.ts';
import type { SmallDisk } from './small-disk.ts';

export const nfsMissing = lacking({
  'nfs-ganesha': 'ganesha.nfsd',
  'nfs-ganesha-mem': '/etc/ganesha/mem.conf',
  'libnfs-utils': 'nfs-cp',
});

/** The same on a small disk, by the back end of real file systems. */
export const nfsOnDiskMissing = lacking({
  'nfs-ganesha': 'ganesha.nfsd',
  'nfs-ganesha-vfs': '/etc/ganesha/vfs.conf',
  'libnfs-utils': 'nfs-cp',
});

export function startNfs({ mostFileBytes = 65_536, port = 0 } = {}): Promise<Running> {
  return start(
    port,
    `MEM { Inode_Size = ${mostFileBytes}; }
EXPORT { Export_Id = 1; Path = /rw; Pseudo = /rw; Access_Type = RW; FSAL { Name = MEM; } }
EXPORT { Export_Id = 2; Path = /ro; Pseudo = /ro; Access_Type = RO; FSAL { Name = MEM; } }
`,
  );
}

/** Exports `disk` as `/rw`. */
export function startNfsOn(disk: SmallDisk, port = 0): Promise<Running> {
  const access = 'Access_Type = RW; FSAL { Name = VFS; }';
  return start(port, `EXPORT { Export_Id = 1; Path = ${disk.path}; Pseudo = /rw; ${access} }\n`, disk);
}

async function start(wanted: number, exports: string, disk?: SmallDisk): Promise<Running> {
  const dir = scratchFolder('nfs');
  const port = wanted || (await freePort());
  const config = join(dir, 'ganesha.conf');
  writeFileSync(
    config,
    `NFS_CORE_PARAM { NFS_Port = ${port}; NFS_Protocols = 4; Enable_NLM = false; Enable_RQUOTA = false; Bind_addr = 127.0.0.1; }
NFSV4 { Graceless = true; Lease_Lifetime = 5; RecoveryRoot = "${dir}"; }
EXPORT_DEFAULTS { SecType = sys; Squash = No_Root_Squash; Protocols = 4; Transports = TCP; }
${exports}`,
  );
  const args = ['-F', '-f', config, '-L', join(dir, 'log'), '-p', join(dir, 'pid')];
  const [command, all] = disk?.inside('ganesha.nfsd', args) ?? ['ganesha.nfsd', args];
  const running = await startProgram(command, all, port);
  return { ...running, stop: () => running.stop().then(() => removeFolder(dir)) };
}
