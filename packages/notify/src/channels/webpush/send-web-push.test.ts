import { createDecipheriv, createECDH, createPublicKey, hkdfSync, verify } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settings } from '@steward/contract'
import { expect, onTestFinished, test } from 'vitest'
import { prepareChannel } from '../prepare-channel.ts'
import { messageOf } from '../testing/messages.ts'
import { ownHeaders, serveHttp } from '../testing/serve-http.ts'
import { retractWebPush, sendWebPush } from './send-web-push.ts'
import { addWebPush, ensureWebPushKey, readWebPush, removeWebPush } from './subscriptions.ts'

/** A browser's keys, and its side of RFC 8291, written apart from the library that sends. */
const createBrowser = () => {
  const ecdh = createECDH('prime256v1')
  const own = ecdh.generateKeys()
  const auth = Buffer.from('0123456789abcdef')
  return {
    keys: { p256dh: own.toString('base64url'), auth: auth.toString('base64url') },
    decrypt: (body: Buffer): unknown => {
      const salt = body.subarray(0, 16)
      const idLength = body.readUInt8(20)
      const sender = body.subarray(21, 21 + idLength)
      const sealed = body.subarray(21 + idLength)
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), own, sender])
      const material = hkdfSync('sha256', ecdh.computeSecret(sender), auth, info, 32)
      const derive = (name: string, length: number): Buffer =>
        Buffer.from(
          hkdfSync('sha256', Buffer.from(material), salt, `Content-Encoding: ${name}\0`, length),
        )
      const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
      decipher.setAuthTag(sealed.subarray(-16))
      const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
      return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString())
    },
  }
}

const open = async () => {
  const databases = mkdtempSync(join(tmpdir(), 'steward-webpush-'))
  onTestFinished(() => rmSync(databases, { recursive: true, force: true }))
  const service = await serveHttp()
  const warned: string[] = []
  const ports = {
    fetch,
    abortAfter: AbortSignal.timeout,
    home: { databases },
    log: { warn: (line: string) => void warned.push(line) },
  }
  return { service, ports, warned, home: { databases } }
}

const CONTACT = 'mailto:ada@example.org'

/** Whether the service would accept the signature of the sender (RFC 8292). */
const isSigned = (authorization: string, publicKey: string, contact: string): boolean => {
  const [, token = '', key] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization) ?? []
  const [head, claims, signature = ''] = token.split('.')
  const { sub } = JSON.parse(Buffer.from(claims ?? '', 'base64url').toString())
  const raw = Buffer.from(publicKey, 'base64url')
  const [x, y] = [raw.subarray(1, 33), raw.subarray(33)].map((part) => part.toString('base64url'))
  const signer = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const sent = Buffer.from(signature, 'base64url')
  const data = Buffer.from(`${head}.${claims}`)
  return (
    key === publicKey &&
    sub === contact &&
    verify('sha256', data, { key: signer, dsaEncoding: 'ieee-p1363' }, sent)
  )
}

test('is encrypted for its browser, signed with our keys, and withdrawn', async () => {
  const { service, ports, home } = await open()
  const browser = createBrowser()
  const publicKey = await ensureWebPushKey(home)
  expect(await ensureWebPushKey(home)).toBe(publicKey)
  const subscription = { endpoint: `${service.address}/push/1`, keys: browser.keys }
  await addWebPush(home, { id: 'd1', name: 'phone' }, subscription)
  expect(statSync(join(home.databases, 'web-push.json')).mode & 0o777).toBe(0o600)
  const message = messageOf({ id: 'm1', title: 'Release asks', message: 'Bash: npm publish' })
  expect(await sendWebPush(message, CONTACT, ports)).toMatchObject({ state: 'delivered' })
  await retractWebPush(message, CONTACT, ports)
  const [sent, withdrawn] = service.posts
  if (sent === undefined || withdrawn === undefined) throw new Error('nothing was sent')
  expect(sent.body.toString('latin1')).not.toContain('npm publish')
  const payload = { title: 'Release asks', body: 'Bash: npm publish', tag: 'm1' }
  expect(browser.decrypt(sent.body)).toEqual(payload)
  expect(browser.decrypt(withdrawn.body)).toEqual({ tag: 'm1', withdraw: true })
  const { Authorization = '', ...headers } = ownHeaders(sent)
  expect(isSigned(Authorization, publicKey, CONTACT)).toBe(true)
  expect(headers).toMatchObject({ 'Content-Encoding': 'aes128gcm', TTL: '14400' })
})

test('expired subscriptions are removed and logged; other failures are tried again', async () => {
  const { service, ports, warned, home } = await open()
  await ensureWebPushKey(home)
  const { keys } = createBrowser()
  await addWebPush(home, { id: 'd1', name: 'phone' }, { endpoint: `${service.address}/1`, keys })
  service.answer = { status: 503 }
  expect(await sendWebPush(messageOf(), CONTACT, ports)).toMatchObject({
    state: 'failed',
    error: { retryable: true },
  })
  service.answer = { status: 410 }
  expect(await sendWebPush(messageOf(), CONTACT, ports)).toEqual({
    state: 'skipped',
    detail: 'the subscription of phone has expired and was removed',
  })
  expect(readWebPush(home).subscriptions).toEqual([])
  expect(warned).toEqual([expect.stringContaining('subscription of phone has expired')])
  // A device has one subscription, and loses it when it is revoked.
  for (const path of ['2', '3']) {
    const endpoint = `${service.address}/${path}`
    await addWebPush(home, { id: 'd2', name: 'tablet' }, { endpoint, keys })
  }
  expect(readWebPush(home).subscriptions).toMatchObject([{ endpoint: `${service.address}/3` }])
  await removeWebPush(home, 'd2')
  expect(readWebPush(home).subscriptions).toEqual([])
})

test('push services are told whom to contact: a setting, else the mail recipient, else the relay', async () => {
  const { service, ports, home } = await open()
  await ensureWebPushKey(home)
  const { keys } = createBrowser()
  await addWebPush(home, { id: 'd1', name: 'phone' }, { endpoint: `${service.address}/1`, keys })
  const unused = async () => Promise.reject(new Error('not used'))
  const all = { ...ports, platform: 'linux' as const, runCommand: unused, sendMail: unused }
  const contactWith = async (given: object): Promise<unknown> => {
    const channel = prepareChannel(
      'webpush',
      { settings: settings.parse(given), environment: {} },
      all,
    )
    if (!channel.ok) throw channel.error
    await channel.value.send(messageOf())
    const [post] = service.posts.slice(-1)
    if (post === undefined) throw new Error('nothing was sent')
    const [, claims = ''] = ownHeaders(post).Authorization?.split('.') ?? []
    return JSON.parse(Buffer.from(claims, 'base64url').toString()).sub
  }
  const edge = { workers: { 'exec-relay': 'https://relay.example.org/x' } }
  const email = { to: 'ada@example.org' }
  const webpush = { contact: 'mailto:ops@example.org' }
  expect(await contactWith({ edge, notifications: { email, webpush } })).toBe(webpush.contact)
  expect(await contactWith({ edge, notifications: { email } })).toBe('mailto:ada@example.org')
  expect(await contactWith({ edge })).toBe('https://relay.example.org')
  expect(await contactWith({})).toMatch(/^mailto:/)
})
