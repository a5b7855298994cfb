import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientAddress, clientNetwork, NO_PROXIES, proxiesAt } from '../../rest/client-address.ts';

describe('the address of a client', () => {
  const proxies = proxiesAt('127.0.0.1, 10.0.0.0/8,2001:db8:aa::/48');
  const cases: readonly (readonly [string, string | undefined, string | null, string])[] = [
    ['no proxy', '192.0.2.1', null, '192.0.2.1'],
    ['a client who writes the header himself', '192.0.2.1', '203.0.113.1', '192.0.2.1'],
    ['one proxy', '127.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['a forged entry before the one of the proxy', '127.0.0.1', '198.51.100.1, 203.0.113.1', '203.0.113.1'],
    ['a chain of proxies', '127.0.0.1', '198.51.100.1, 203.0.113.1, 10.9.8.7', '203.0.113.1'],
    ['a chain of nothing but proxies', '127.0.0.1', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ['a proxy that writes nothing', '127.0.0.1', null, '127.0.0.1'],
    ['a proxy that writes nonsense', '127.0.0.1', '203.0.113.1, unknown', '127.0.0.1'],
    ['an IPv4 proxy on a socket for both', '::ffff:127.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['an IPv6 proxy', '2001:db8:aa::1', '2001:db8::1', '2001:db8::1'],
    ['ports beside the addresses', '127.0.0.1', '203.0.113.1:4711', '203.0.113.1'],
    ['a port beside an IPv6 address', '127.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
    ['no connection', undefined, '203.0.113.1', ''],
  ];
  for (const [what, remote, forwarded, expected] of cases) {
    it(`the address of a client with ${what} is ${expected || 'unknown'}`, () =>
      assert.equal(clientAddress(remote, forwarded, proxies), expected));
  }

  it('the address of a client is nobody else where no proxy is named', () => {
    assert.equal(clientAddress('127.0.0.1', '203.0.113.1', NO_PROXIES), '127.0.0.1');
  });

  it('the address of a client belongs to a /64 where it is IPv6', () => {
    const surroundings = { incoming: { socket: { remoteAddress: '2001:db8::1:2:3:4' } } };
    assert.equal(clientNetwork(surroundings, new Headers(), NO_PROXIES), '2001:db8:0:0::/64');
  });

  it('a list of trusted proxies that is no list of networks is refused', () => {
    for (const text of ['', 'proxy.example', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::1/129', '1.2.3.4,', '*'])
      assert.throws(() => proxiesAt(text), TypeError, text);
  });
});
