/** The address of the database, the promises that it must give, and what of it is told to whom. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openStore } from '../../store/open.ts';
import { addressIssue, parseAddress, shownAddress } from '../../store/shared/database/address.ts';
import { Connection, type Session } from '../../store/shared/database/connection.ts';
import { DatabaseAway, failureKind, isConnectionLost } from '../../store/shared/database/failure.ts';
import { HeadReads } from '../../store/shared/head-reads.ts';
import { patiently } from '../../store/shared/database/patience.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { sharedServer } from '../helpers/postgres.ts';
import { until } from '../helpers/until.ts';
import { isAppError, temporaryFolder } from './support.ts';
import { wordsOf } from '../helpers/words.ts';

describe('the address of the database', () => {
  it('the address has host, port, database and user, and TLS wherever it leaves the machine', () => {
    assert.deepEqual(parseAddress('postgres://onair:s%40fe@db.example.com/onair'), {
      host: 'db.example.com',
      port: 5432,
      database: 'onair',
      user: 'onair',
      password: 's@fe',
      sslmode: 'verify-full',
    });
    assert.equal(parseAddress('postgresql://onair@127.0.0.1:6000/x').sslmode, 'disable');
    assert.equal(parseAddress('postgres://onair@[::1]/x').host, '::1');
    assert.equal(parseAddress('postgres://onair@localhost/x?host=/run/postgresql').host, '/run/postgresql');
    assert.equal(parseAddress('postgres://onair@db/x?sslmode=disable').sslmode, 'disable');
    const shown = shownAddress(parseAddress('postgres://onair:secret@db.example.com/x'));
    assert.equal(shown, 'database x at db.example.com:5432, as onair');
  });

  it('the address is refused with the reason, and never repeated', () => {
    const wrong: [string, RegExp][] = [
      ['postgres://', /host|URL/u],
      ['mysql://onair:secret@db/x', /postgres:/u],
      ['postgres://db:5432/x', /no user/u],
      ['postgres://onair:secret@db', /no database/u],
      ['postgres://onair:secret@db/x?sslmode=require', /sslmode/u],
      ['postgres://onair:secret@db/x?options=-c', /parameter options/u],
      ['postgres://onair:sec%ret@db/x', /percent/u],
      ['not a url with secret', /no URL/u],
    ];
    for (const [text, reason] of wrong) {
      const issue = addressIssue(text) ?? '';
      assert.match(issue, reason, text);
      assert.doesNotMatch(issue, /secret|sec%ret/u);
      assert.throws(
        () => parseAddress(text),
        (error: Error) => !/secret|sec%ret/u.test(String(error.stack)),
      );
    }
  });
});

describe('a database that cannot be the store', () => {
  it('a database that loses commits is refused, and one without a standby is warned of', async () => {
    const server = await sharedServer();
    const url = await server.database();
    const warnings: string[] = [];
    const store = await openStore({ kind: 'postgres', url, warn: (message) => warnings.push(message) });
    await store.close();
    assert.match(warnings.join(), /no synchronous standby/u);
    assert.equal(warnings.length, 1);
    for (const [setting, name] of [
      ['synchronous_commit = off', /synchronous_commit = off loses commits/u],
      ['synchronous_commit = local', /synchronous_commit = local loses commits/u],
      ['fsync = off', /fsync = off loses commits/u],
    ] as const) {
      await server.query(`alter system set ${setting}`);
      await server.reload();
      await assert.rejects(openStore({ kind: 'postgres', url }), isAppError('unavailable', name));
      await server.query('alter system reset all');
      await server.reload();
    }
  });

  it('a password that is wrong is told without the password', async () => {
    const server = await sharedServer();
    const { pathname } = new URL(await server.database());
    await server.query("create user other password 'right'");
    await writeFile(
      join(server.data, 'pg_hba.conf'),
      'host all onair 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n',
    );
    await server.reload();
    const url = `postgres://other:wrong-secret@127.0.0.1:${server.port}${pathname}`;
    await assert.rejects(openStore({ kind: 'postgres', url }), (error: Error) => {
      const text = JSON.stringify([error.message, String(error.stack), error]);
      return /password authentication failed/u.test(text) && !/wrong-secret/u.test(text);
    });
    await assert.rejects(
      openStore({
        kind: 'postgres',
        url: `postgres://other:right@127.0.0.1:${server.port}${pathname}`,
        warn: () => undefined,
      }),
      isAppError('unavailable', /permission denied/u),
    );
    await assert.rejects(
      openStore({ kind: 'postgres', url: `postgres://onair@127.0.0.1:${server.port}/nothing` }),
      isAppError('unavailable', /"nothing" does not exist/u),
    );
  });

  it('a database that speaks no TLS is refused at once, and the remedy names sslmode', async () => {
    const server = await sharedServer();
    const { pathname } = new URL(await server.database());
    const url = `postgres://onair@127.0.0.1:${server.port}${pathname}?sslmode=`;
    await assert.rejects(
      openStore({ kind: 'postgres', url: `${url}verify-full` }),
      isAppError('unavailable', /does not support SSL/u, /ssl = on .* \?sslmode=disable/u),
    );
    await (await openStore({ kind: 'postgres', url: `${url}disable`, warn: () => undefined })).close();
  });

  it('a connection over TLS is made only to the server of that name', async (t) => {
    const server = await sharedServer();
    const folder = await temporaryFolder(t);
    const [certificate, key] = [join(server.data, 'server.crt'), join(server.data, 'server.key')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const words = [...wordsOf('req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'), ...subject];
    execFileSync('openssl', [...words, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
    execFileSync('openssl', [...words, '-keyout', join(folder, 'other.key'), '-out', join(folder, 'other.crt')], {
      stdio: 'pipe',
    });
    execFileSync('chown', ['--reference', server.data, certificate, key]);
    execFileSync('chmod', ['600', key]);
    await server.set('ssl = on');
    await server.restart();
    const { pathname } = new URL(await server.database());
    const url = (host: string, ca: string): string =>
      `postgres://onair@${host}:${server.port}${pathname}?sslmode=verify-full&sslrootcert=${ca}`;
    const store = await openStore({ kind: 'postgres', url: url('localhost', certificate), warn: () => undefined });
    const rows = await server.query(
      "select count(*)::int as count from pg_stat_ssl s join pg_stat_activity a using (pid) where s.ssl and a.application_name like 'onair%'",
    );
    assert.ok(Number(rows[0]!['count']) >= 2);
    await store.close();
    for (const [wrong, reason] of [
      [url('127.0.0.1', certificate), /IP: 127\.0\.0\.1 is not in the cert|does not match/u],
      [url('localhost', join(folder, 'other.crt')), /self-signed|signature/u],
    ] as const)
      await assert.rejects(
        openStore({ kind: 'postgres', url: wrong, warn: () => undefined }),
        isAppError('unavailable', reason, /sslmode=verify-full&sslrootcert=/u),
      );
  });
});

describe('what the database answers', () => {
  /** An error as the driver has it. */
  const kindOf = (code: string): string => {
    const error = Object.assign(new Error(code), { code, severity: 'ERROR' });
    return isConnectionLost(error) ? 'away' : failureKind(error);
  };

  it('an answer that says nothing of what was written is waited for, whatever it is', () => {
    const answers = {
      // The connection is opened anew.
      away: '08000 08006 0A000 25001 25P01 25P02 25P03 25P04 26000 40003 42P05 53300 57P01 57P02 57P03 57P04 57P05',
      temporary:
        '25006 28000 28P01 3D000 3F000 40001 40P01 42501 42703 42883 42P01 53100 53200 55006 55P03 57000 57014 58030 72000 F0000 P0002 XX000 ZZ999',
      content: '21000 22001 22003 22021 22P02 23502 23505 23514 42601 54000',
    };
    for (const [kind, codes] of Object.entries(answers))
      for (const code of codes.split(' ')) assert.equal(kindOf(code), kind, code);
  });

  it('a connection that cannot be opened is a database that is away, whatever the reason', async () => {
    const server = await sharedServer();
    const url = new URL(await server.database());
    url.pathname = '/nothing';
    const connection = new Connection({ address: parseAddress(url.href), purpose: 'test' });
    await assert.rejects(connection.open(), DatabaseAway);
    const silent = new Connection({
      address: parseAddress(await server.database()),
      purpose: 'test',
      onOpen: async (session) => void (await session.query('select pg_terminate_backend(pg_backend_pid())')),
    });
    await assert.rejects(silent.open(), DatabaseAway);
    await silent.close();
  });

  it('a database that takes connections and then answers nothing is away, and is asked again by whoever comes next', async () => {
    const address = parseAddress(await (await sharedServer()).database());
    let isSilent = true;
    const connection = new Connection({
      address,
      purpose: 'test',
      answerMs: 50,
      onOpen: async (session) => void (await session.query(`select pg_sleep(${isSilent ? 3600 : 0})`)),
    });
    await assert.rejects(connection.open(), DatabaseAway);
    isSilent = false;
    const opened = (): Promise<Session> => until('a connection', () => connection.open().catch(() => undefined));
    await assert.rejects((await opened()).query('select pg_sleep(3600)'), DatabaseAway);
    await until('an answer', () =>
      opened()
        .then((session) => session.query('select 1'))
        .catch(() => undefined),
    );
    await connection.close();
  });

  it('a read that gets no answer is given up with its caller', async () => {
    const never = (): Promise<never> => new Promise(() => undefined);
    await assert.rejects(patiently(never, 20), isAppError('unavailable', /does not answer/u));
  });

  it('those who wait for a database that has not answered do not ask it again', async (t) => {
    let dialled = 0;
    const mute = createServer(() => void (dialled += 1)).listen(0, '127.0.0.1');
    cleanUp(t, () => void mute.close());
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    const connection = new Connection({ address: parseAddress(`postgres://a@127.0.0.1:${port}/b`), purpose: 'test' });
    const head = new HeadReads(connection, { position: { seq: 0, tip: '' } } as never);
    const first = head.ask();
    await until('it is asked', () => dialled > 0);
    await Promise.all([first, head.ask(), head.ask()]);
    assert.equal(dialled, 1);
    assert.ok(head.staleMs !== undefined);
  });
});
