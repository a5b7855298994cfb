/** Example queries about key servers, clouds and folders, with semicolons between them. See ../example-queries.ts. */
export const SERVICES_REQUESTS: Readonly<Record<string, string>> = {
  getAllDrmProviders: `
    which drm vendors do we use; who issues our keys; which widevine providers are configured; is there any drm;
    drm services; who provides keys; is widevine set up; vendors of content protection`,
  getDrmProviderById: `
    details of the key server; which drm systems does the vendor support; url of the speke server;
    does our drm vendor do fairplay; settings of the key provider; what can our drm vendor do;
    look at the key service; which tenant at the key server`,
  addDrmProvider: `
    connect a drm vendor; new key server; set up widevine and playready; add fairplay; we got access to a key service;
    register ezdrm; buydrm account; content protection for the premium event; clearkey for tests; fairplay for apple;
    contract with a drm vendor; protect premium content, here are the vendor's credentials; enter the license server;
    widevine via castlabs; new drm`,
  updateDrmProvider: `
    drm vendor changed its url; new credentials for the key server; rotate the drm password; edit the key provider;
    tenant id of the drm service; disable the drm vendor; vendor changed the endpoint; key server moved;
    other login at the drm company; drm off for the vendor; add playready to the vendor; drm credentials expired`,
  deleteDrmProvider: `
    remove the drm vendor; delete the key server; we left ezdrm; drop content protection provider;
    forget the key service; drm vendor can go; contract with irdeto is over; key server is obsolete; no drm any more`,
  validateDrmProvider: `
    does the key server answer; test the drm credentials; can we get keys; is the drm vendor reachable;
    check the content protection; is the key service login right; are the keys obtainable; does widevine work;
    can we still fetch keys; is our drm ok; do they accept our drm login`,
  getAllCloudAccounts: `
    is a cloud linked; what hosted platforms are connected; cloud links; are we linked to a cloud;
    our hosted accounts; cloud users`,
  getCloudAccountById: `
    details of the cloud account; which client id has the cloud login; is the cloud account enabled;
    look at the cloud link; cloud account settings`,
  addCloudAccount: `
    link the cloud; connect the managed platform; we want to overflow into the cloud; register at the hosted service;
    use cloud encoders as well; enter cloud credentials; sign us up with the cloud; burst capacity from the cloud;
    let us run on the provider's machines; tie to the managed service`,
  updateCloudAccount: `
    new secret for the cloud; rename the cloud account; turn off the cloud account for now;
    the hosted platform gave us another client id; other password at the cloud; cloud link off for the moment;
    exchange cloud credentials; client id is wrong; cloud token was rotated`,
  deleteCloudAccount: `
    remove the cloud account; unlink the hosted platform; we do not use the cloud any more;
    disconnect the managed platform; no cloud any more; cloud contract ended; cloud link away;
    break with the hosted service; remove off-premises`,
  validateCloudAccount: `
    test the cloud account; is the cloud reachable; can we get into the cloud; does the platform know us;
    cloud link ok`,
  getAllRemoteFolders: `
    where are recordings backed up; which network drives are connected; list of backup shares; which nas do we use;
    archive locations; backup places; where are copies kept; shares for recordings; network storage; which nas`,
  getRemoteFolderById: `
    details of the backup share; which path on the nas; why is the share invalid; what host is the network drive;
    which folder on the file server; protocol of the share; look at the nas settings`,
  addRemoteFolder: `
    connect the nas; back up recordings to a network drive; keep copies of recordings elsewhere;
    mount a share for the archive; new nfs export; add a webdav drive; nextcloud as backup;
    recordings should be copied before they are deleted; archive to the file server;
    archive storage on the file server; long term storage for old shows; keep recordings on the nas;
    connect our truenas; save old shows before they are deleted; second copy on a drive;
    store away recordings on the network; off-site copy`,
  updateRemoteFolder: `
    the nas has a new address; password of the share has changed; another path on the network drive;
    edit the backup share; backup goes to another host; credentials of the share; nas under another name;
    file server moved; share path is different; backup user changed; other folder for the archive`,
  deleteRemoteFolder: `
    remove the nas; disconnect the network drive; we do not back up there any more; drop the share;
    delete the backup location; nas is gone; no backups there; share can go; old file server was switched off;
    forget the network drive`,
  validateRemoteFolder: `
    is the share writable; can we reach the network drive; test the mount; check the backup location;
    is the webdav password right; is the nas there; can you see the file server; does the backup work;
    write test on the share; mount ok; is the network storage online`,
  getAllTargetFolders: `
    which ftp servers are set up; list of buckets; delivery locations; delivery servers; where could highlights go;
    ftp list; which buckets; clients we send clips to`,
  getTargetFolderById: `
    details of the ftp server; which bucket is it; settings of the export location; what host do we deliver clips to;
    directory on the ftp; region of the bucket; user for the sftp; look at the agency server`,
  addTargetFolder: `
    add an ftp server; new bucket for clips; we should deliver highlights by sftp; register s3 storage;
    place where clips are sent; new export location; minio for clips; an ftp where highlights go;
    the paper wants clips on its server; drop box for clips; storage for finished pieces; new sftp of the agency;
    wasabi bucket; client gave us ftp details; place to deliver excerpts`,
  updateTargetFolder: `
    ftp password changed; bucket has another name; export to another directory; edit the delivery server;
    the sftp moved to another port; bucket was renamed; agency changed its ftp password;
    other folder for delivered clips; rotated s3 keys; port of the sftp; endpoint of the bucket`,
  deleteTargetFolder: `
    remove the ftp server; delete the bucket from the list; we do not deliver there any more;
    drop the export location; forget the sftp; agency no longer gets clips; ftp is switched off; bucket can go;
    end of deliveries to the paper; remove sftp`,
  validateTargetFolder: `
    does the ftp login work; test the bucket; can we write to s3; is the delivery server reachable;
    check the sftp password; try the export location; does the bucket accept writes; ftp ok;
    can we upload to the agency; are the s3 keys right; connection test of the sftp; is the ftp alive`,
};
