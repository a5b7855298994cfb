/** Which addresses requests may go to. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hostRefusal, NetworkRefusal, networksIssue, parseNetworks, Reach } from '../../domain/network/networks.ts';
import { wordsOf } from '../helpers/words.ts';

const isRefused = (setting: string, host: string): boolean => hostRefusal(parseNetworks(setting), host) !== undefined;

describe('networks of sources', () => {
  it('the networks of sources refuse link-local and cloud metadata addresses in every form, and let cameras in', () => {
    const refused = [
      ...['169.254.169.254', '169.254.1.1', 'fe80::1', '[fe80::1]', 'fe80::1%eth0', 'febf::1', 'fd00:ec2::254'],
      ...['100.100.100.200', '168.63.129.16', 'metadata.google.internal', 'METADATA.google.internal.', 'metadata'],
      // What the C library, and so ffmpeg, takes for an address.
      ...['2852039166', '0xa9fea9fe', '169.16689662', '0251.254.169.254', '0xa9.0xfe.0xa9.0xfe'],
      ...['::ffff:169.254.169.254', '[::ffff:a9fe:a9fe]', '64:ff9b::169.254.169.254'],
    ];
    for (const host of refused) assert.ok(isRefused('', host), host);
    const free = [
      ...wordsOf('127.0.0.1 ::1 0.0.0.0 10.1.2.3 172.16.0.1 192.168.1.64 fd12:3456::1 fec0::1 169.253.1.1'),
      ...['169.255.0.1', '239.1.1.1', 'ff02::1', 'camera-1', '1.2.3.4.example', 'metadata.example', '8.8.8.8', ''],
    ];
    for (const host of free) assert.ok(!isRefused('', host), host);
  });

  it('the smallest network that has an address decides; of equal ones the setting before the built-in list, a refusal before a permission', () => {
    const inside = '!0.0.0.0/0, 10.0.0.0/8 ,!10.9.0.0/16,10.9.9.9,!::/0,fd00::/8';
    assert.deepEqual(
      ['8.8.8.8', '10.1.1.1', '10.9.1.1', '10.9.9.9', '2001:db8::1', 'fd00::1', '127.0.0.1', '0.0.0.0'].filter((host) =>
        isRefused(inside, host),
      ),
      ['8.8.8.8', '10.9.1.1', '2001:db8::1', '127.0.0.1', '0.0.0.0'],
    );
    assert.ok(!isRefused('169.254.0.0/16', '169.254.10.1'));
    assert.ok(isRefused('169.254.0.0/16', '169.254.169.254'), 'the credentials of the machine come with no camera');
    assert.ok(!isRefused('169.254.169.254', 'metadata.google.internal'));
    assert.ok(isRefused('10.0.0.0/8,!10.0.0.0/8', '10.1.1.1'));
    assert.ok(isRefused('!127.0.0.0/8', '0.0.0.0'), 'the unspecified address leads to this machine');
    assert.ok(isRefused('!::1', '::'));
  });

  it('the refusal of a setting of networks names the item that is no network', () => {
    for (const text of ['', ' , ', '10.0.0.0/8', '!fd00::/8,::1,0.0.0.0/0'])
      assert.equal(networksIssue(text), undefined, text);
    for (const item of wordsOf(
      '10.0.0.1/8 10.0.0/8 camera 10.0.0.0/33 fd00::/129 ! 1.2.3.256 fd00::1::/16 -10.0.0.0/8',
    )) {
      assert.ok(networksIssue(`192.168.0.0/16, ${item}`)?.startsWith(JSON.stringify(item)), item);
      assert.throws(() => parseNetworks(item), TypeError);
    }
  });
});

describe('a connection by name', () => {
  const answers: Record<string, string[]> = {
    inside: ['169.254.169.254'],
    both: ['203.0.113.1', 'fe80::1'],
    fine: ['203.0.113.1', '2001:db8::1'],
  };
  let hosts: string[] = [];
  const reach = new Reach(parseNetworks('!127.0.0.2'), (host, _options, found) => {
    hosts.push(host);
    const addresses = (answers[host] ?? [host]).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    setImmediate(() => found(null, addresses));
  });

  it('a connection by name is refused when any of its addresses may not be reached, and the refusal says which', async () => {
    const refusal = (host: string, message: RegExp): Promise<void> =>
      assert.rejects(reach.resolve(host), (error) => error instanceof NetworkRefusal && message.test(error.message));
    await refusal(
      'inside',
      /^inside leads to an address that is refused: 169\.254\.169\.254 is an address where clouds .*ONAIR_SOURCE_NETWORKS/u,
    );
    await refusal('both', /both leads to .*: fe80::1 is a link-local address/u);
    assert.deepEqual(await reach.resolve('fine'), { address: '203.0.113.1', family: 4 });
    hosts = [];
    await refusal('127.0.0.2', /^127\.0\.0\.2 is in a network that is refused/u);
    await refusal('metadata.google.internal', /name of an address/u);
    assert.deepEqual(hosts, [], 'no name server is asked what needs no question');
  });

  it('the address lookup of a connection by name gives sockets what they ask for', async () => {
    const look = (options: object): Promise<unknown[]> =>
      new Promise((resolve) => reach.lookup('fine', options, (...given) => resolve(given)));
    assert.deepEqual(await look({}), [null, '203.0.113.1', 4]);
    assert.deepEqual(await look({ all: true }), [
      null,
      [
        { address: '203.0.113.1', family: 4 },
        { address: '2001:db8::1', family: 6 },
      ],
    ]);
  });
});
