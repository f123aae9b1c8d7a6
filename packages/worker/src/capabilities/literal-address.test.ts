import { describe, expect, it } from 'vitest'
import { refusalOfHost } from './literal-address.ts'

const refusalOf = (url: string) => refusalOfHost(new URL(url).hostname)

describe('refusalOfHost', () => {
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://0.0.0.0/',
    'http://10.1.2.3/',
    'http://100.64.0.1/',
    'http://100.127.255.255/',
    'http://169.254.169.254/latest/meta-data/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.0.1/',
    'http://198.19.255.255/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::]/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:a00:1]/',
    'http://[64:ff9b::10.0.0.1]/',
    'http://[64:ff9b:1::1]/',
    'http://[fc00::1]/',
    'http://[fe80::1]/',
    'http://[ff02::1]/',
    'http://[2001:db8::1]/',
    'http://[2001::1]/',
    'http://[2002:7f00:1::]/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://a.localhost/',
    'http://metadata.google.internal/',
    'http://printer.local/',
  ])('refuses %s', (url) => {
    expect(refusalOf(url)).toBeTypeOf('string')
  })

  it.each([
    'http://1.1.1.1/',
    'http://100.63.255.255/',
    'http://100.128.0.1/',
    'http://172.15.255.255/',
    'http://172.32.0.1/',
    'http://198.20.0.1/',
    'http://223.255.255.255/',
    'http://[2606:4700:4700::1111]/',
    'http://[2a00::1]/',
    'http://[::ffff:8.8.8.8]/',
    'http://[64:ff9b::8.8.8.8]/',
    'https://example.com/',
    'https://internal.example.com/',
    'https://10.example.com/',
  ])('lets %s pass', (url) => {
    expect(refusalOf(url)).toBeUndefined()
  })
})
