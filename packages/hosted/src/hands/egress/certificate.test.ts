import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectTcp, createServer } from 'node:net'
import { connect, TLSSocket } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { createSessionAuthority, type SessionAuthority } from './session-authority.ts'

const closing: Array<() => void> = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A handshake over a real connection; returns what the client saw of the server. */
const shake = async (
  server: SessionAuthority,
  host: string,
  ca: string,
): Promise<X509Certificate> => {
  const listener = createServer((socket) => {
    const secured = new TLSSocket(socket, {
      isServer: true,
      secureContext: server.contextFor(host),
    })
    secured.on('error', () => socket.destroy())
  }).listen(0, '127.0.0.1')
  closing.push(() => listener.close())
  await once(listener, 'listening')
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const socket = connectTcp(address.port, '127.0.0.1')
  const client = connect({ socket, servername: host, ca })
  closing.push(() => client.destroy())
  await once(client, 'secureConnect')
  const shown = client.getPeerX509Certificate()
  if (shown === undefined) throw new Error('no certificate')
  return shown
}

describe('createSessionAuthority', () => {
  it('certifies a host to clients that trust it', async () => {
    const authority = createSessionAuthority()
    const shown = await shake(authority, 'api.example.test', authority.certificate)
    expect(shown.subjectAltName).toBe('DNS:api.example.test')
    expect(shown.checkHost('api.example.test')).toBe('api.example.test')
    expect(shown.ca).toBe(false)
  })

  it('certifies long names too', async () => {
    const authority = createSessionAuthority()
    const host = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.test`
    const shown = await shake(authority, host, authority.certificate)
    expect(shown.checkHost(host)).toBe(host)
  })

  it('is rejected by clients that trust another one', async () => {
    const other = createSessionAuthority()
    await expect(
      shake(createSessionAuthority(), 'api.example.test', other.certificate),
    ).rejects.toThrow(/signature|issuer|verify/)
  })

  it('is a self-signed authority, valid for a year', () => {
    const now = new Date('2026-03-01T12:00:00Z')
    const certificate = new X509Certificate(createSessionAuthority(() => now).certificate)
    expect(certificate.ca).toBe(true)
    expect(certificate.verify(certificate.publicKey)).toBe(true)
    expect(certificate.checkIssued(certificate)).toBe(true)
    expect(certificate.validFromDate).toEqual(new Date('2026-02-28T12:00:00Z'))
    expect(certificate.validToDate).toEqual(new Date('2027-03-01T12:00:00Z'))
    expect(certificate.toLegacyObject().ext_key_usage).toBeUndefined()
  })

  it('writes years after 2049 with four digits', () => {
    const now = new Date('2055-03-01T12:00:00Z')
    const certificate = new X509Certificate(createSessionAuthority(() => now).certificate)
    expect(certificate.validToDate).toEqual(new Date('2056-02-29T12:00:00Z'))
  })

  it('gives every certificate a unique serial number', () => {
    const numbers = Array.from({ length: 50 }, () => {
      const { serialNumber } = new X509Certificate(createSessionAuthority().certificate)
      return serialNumber
    })
    expect(new Set(numbers).size).toBe(50)
  })
})
