import { networkInterfaces } from 'node:os'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { selfSigned } from '../../../packages/hosted/src/hands/egress/testing/self-signed.ts'
import { readBody, serveLoopback } from '../../lib/testing/loopback.ts'
import { type Parts, runAction } from '../../lib/testing/run-action.ts'
import { serveSmtp } from '../../lib/testing/serve-smtp.ts'
import manifest from './action.json' with { type: 'json' }
import * as action from './action.ts'
import { parseAddresses } from './addresses.ts'

const MAIL = { to: 'ada@example.org', subject: 'Grüße', body: 'Hello.\n.\nEnd' }
const FROM = 'Steward <steward@example.net>'

const send = (input: Record<string, unknown>, secrets: Parts['secrets'], parts: Parts = {}) =>
  runAction(manifest, action, input, {
    capabilities: { fetch },
    secrets: { MAIL_FROM: FROM, ...secrets },
    ...parts,
  })

describe('by SMTP', () => {
  test('signs in and delivers, with every header in its place', async () => {
    const { mails, url } = await serveSmtp()
    const answer = await send(
      {
        ...MAIL,
        to: 'ada@example.org, "Byron, G." <george@example.org>',
        cc: 'cc@example.org',
        reply_to: 'reply@example.org',
        html: '<p>Hello.</p>',
      },
      { SMTP_URL: url },
      { runId: 'run-7', step: 2 },
    )
    expect(answer).toMatchObject({ success: true, message_id: '<run-7.2@example.net>' })
    const [mail] = mails
    expect(mail).toMatchObject({
      from: 'steward@example.net',
      to: ['ada@example.org', 'george@example.org', 'cc@example.org'],
    })
    expect(mail?.raw).toMatch(/^Message-ID: <run-7\.2@example\.net>\r$/m)
    expect(mail?.raw).toMatch(/^From: "?Steward"? <steward@example\.net>\r$/m)
    expect(mail?.raw).toMatch(/^Reply-To: reply@example\.org\r$/m)
    expect(mail?.raw).toMatch(/^Subject: =\?UTF-8\?/m)
    expect(mail?.raw).toContain('<p>Hello.</p>')
    expect(mail?.raw).toMatch(/^\.?\.\r$|^=2E/m)
  })

  test('sends the password only after STARTTLS, and only if the certificate is trusted', async () => {
    const { key, cert } = selfSigned()
    const { mails, logins, url } = await serveSmtp({ startTls: { key, cert } })
    await expect(send(MAIL, { SMTP_URL: url })).rejects.toThrow(/self.signed/)
    expect([mails, logins]).toEqual([[], []])
    const authorities = getCACertificates('default')
    setDefaultCACertificates([...authorities, cert])
    try {
      expect(await send(MAIL, { SMTP_URL: url })).toMatchObject({ success: true })
    } finally {
      setDefaultCACertificates(authorities)
    }
    expect([mails.length, logins]).toEqual([1, ['secure']])
  })

  const [outward] = Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ internal, family }) => !internal && family === 'IPv4')
  test.runIf(outward !== undefined)(
    'sends no password to another machine in the clear',
    async () => {
      const { logins, url } = await serveSmtp({ host: outward?.address ?? '' })
      await expect(send(MAIL, { SMTP_URL: url })).rejects.toThrow(/STARTTLS/)
      expect(logins).toEqual([])
    },
  )

  test('a repeated step sends the same mail, not another', async () => {
    const { mails, url } = await serveSmtp()
    const first = await send(MAIL, { SMTP_URL: url }, { runId: 'r/1', step: 0 })
    const again = await send(MAIL, { SMTP_URL: url }, { runId: 'r/1', step: 0 })
    const other = await send(MAIL, { SMTP_URL: url }, { runId: 'r/1', step: 1 })
    expect(first.message_id).toBe(again.message_id)
    expect(other.message_id).not.toBe(first.message_id)
    const ids = mails.map(({ raw }) => /^Message-ID: (.*)\r$/m.exec(raw)?.[1])
    expect(ids).toEqual([first.message_id, first.message_id, other.message_id])
  })

  test('a wrong password is named without showing it', async () => {
    const { url } = await serveSmtp()
    const wrong = send(MAIL, { SMTP_URL: url.replace('p%3Ass', 'hunter2') })
    await expect(wrong).rejects.toMatchObject({ code: 'not_configured' })
    await expect(wrong).rejects.not.toThrow('hunter2')
  })

  test('a refused recipient is final; a server that is not there may come back', async () => {
    const { url } = await serveSmtp({ refuse: 'ada@example.org' })
    await expect(send(MAIL, { SMTP_URL: url })).rejects.toMatchObject({
      code: 'rejected_content',
      message: expect.stringContaining('no such mailbox'),
    })
    await expect(send(MAIL, { SMTP_URL: 'smtp://127.0.0.1:1' })).rejects.toMatchObject({
      code: 'upstream_failed',
      retryable: true,
    })
  })

  test.each(['http://host', 'nonsense secret', 'smtp://'])(
    'SMTP_URL %j is refused without being repeated',
    async (url) => {
      const refused = send(MAIL, { SMTP_URL: url })
      await expect(refused).rejects.toMatchObject({
        code: 'not_configured',
        message: expect.stringContaining('smtp://user:password@host:587'),
      })
      await expect(refused).rejects.not.toThrow('nonsense secret')
    },
  )
})

describe('by HTTP API', () => {
  test('posts the common shape with the key, and answers its id', async () => {
    let seen: unknown
    const url = await serveLoopback(async (request, response) => {
      seen = {
        method: request.method,
        key: request.headers.authorization,
        once: request.headers['idempotency-key'],
        body: JSON.parse((await readBody(request)).toString()),
      }
      response.setHeader('content-type', 'application/json').end('{"id":"mail_42"}')
    })
    const answer = await send(
      { ...MAIL, html: '<b>x</b>' },
      { MAIL_API_URL: url, MAIL_API_KEY: 'k1' },
    )
    expect(answer).toMatchObject({ success: true, message_id: 'mail_42' })
    expect(seen).toMatchObject({
      method: 'POST',
      key: 'Bearer k1',
      once: '<run-1.0@example.net>',
      body: {
        from: '"Steward" <steward@example.net>',
        to: ['ada@example.org'],
        subject: 'Grüße',
        text: MAIL.body,
        html: '<b>x</b>',
      },
    })
  })

  test('without an id in the answer our own is used', async () => {
    const url = await serveLoopback((_, response) => response.writeHead(202).end())
    expect(await send(MAIL, { MAIL_API_URL: url })).toMatchObject({
      message_id: '<run-1.0@example.net>',
    })
  })

  test.each([
    [401, 'invalid_api_key'],
    [429, 'rate_limited'],
    [422, 'upstream_failed'],
    [500, 'upstream_failed'],
  ])('HTTP %i is %s', async (status, code) => {
    const url = await serveLoopback((_, response) => response.writeHead(status).end('says why'))
    await expect(send(MAIL, { MAIL_API_URL: url, MAIL_API_KEY: 'k' })).rejects.toMatchObject({
      code,
    })
  })
})

describe('refuses before anything is sent', () => {
  test.each([
    ['to', 'ada@example.org\r\nBcc: all@example.org'],
    ['to', 'Ada\r\nBcc: all <ada@example.org>'],
    ['from', '"Me\nX: y" <me@example.org>'],
    ['subject', 'Hi\nBcc: all@example.org'],
    ['from', 'me@example.org\r\nX: y'],
    ['cc', 'a@example.org\nb'],
    ['reply_to', 'a@example.org\u0000'],
    ['to', 'not an address'],
    ['to', 'a@b@c'],
    ['to', 'a..b@example.org'],
    ['to', 'Evil <a@example.org> <b@example.org>'],
    ['to', '  '],
    ['subject', ''],
  ])('%s: %j', async (field, value) => {
    const { mails, url } = await serveSmtp()
    await expect(send({ ...MAIL, [field]: value }, { SMTP_URL: url })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { field },
    })
    expect(mails).toHaveLength(0)
  })

  test('missing settings are named', async () => {
    await expect(send(MAIL, {})).rejects.toThrow('set SMTP_URL')
    await expect(send(MAIL, { MAIL_FROM: '' })).rejects.toThrow('set MAIL_FROM')
  })

  test('no list of addresses lets a header through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        try {
          for (const address of parseAddresses(text, 'to')) {
            expect(address).toMatch(/^(?:"[^"]*" <)?[^\s<>]+@[^\s<>]+>?$/)
          }
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_input' })
        }
      }),
    )
  })
})

test('hostile addresses are refused in a bounded time', () => {
  // Quadratic time would be minutes, so it is enough that this returns.
  for (const part of [',""', ' ', '"', ', ']) {
    expect(() => parseAddresses(`x${part.repeat(100_000)}"`, 'to')).toThrow('"to"')
  }
  expect(parseAddresses('"A, B" <a@example.org>,c@example.org', 'to')).toHaveLength(2)
})
