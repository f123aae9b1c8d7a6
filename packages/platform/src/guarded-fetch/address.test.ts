import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isAddress, refusalOf } from './address.ts'

describe('refusalOf', () => {
  it.each([
    '127.0.0.1',
    '127.255.1.2',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.0.8',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '[::1]',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::7f00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::808:808',
    '2002:7f00:1::',
    '2001:0:1::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'fec0::1',
    'ff02::1',
    '4000::1',
    'example.test',
    '',
  ])('refuses %s', (address) => {
    expect(refusalOf(address)).toBeTypeOf('string')
  })

  it.each([
    '1.1.1.1',
    '93.184.216.34',
    '172.32.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])('lets %s pass', (address) => {
    expect(refusalOf(address)).toBeUndefined()
  })

  it('judges an IPv4 address the same however it is wrapped', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const isRefused = refusalOf(address) !== undefined
        expect(refusalOf(`::ffff:${address}`) !== undefined).toBe(isRefused)
        expect(refusalOf(`64:ff9b::${address}`) !== undefined).toBe(isRefused)
      }),
    )
  })
})

describe('odd spellings of an address in a URL', () => {
  it.each([
    'http://0x7f.1/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://[::ffff:127.0.0.1]/',
    'http://①②⑦.0.0.1/',
  ])('%s is seen as an address and refused', (url) => {
    const { hostname } = new URL(url)
    expect(isAddress(hostname)).toBe(true)
    expect(refusalOf(hostname)).toBeTypeOf('string')
  })
})
