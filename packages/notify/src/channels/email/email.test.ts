import { describe, expect, test } from 'vitest'
import { serveSmtp } from '../../../../../library/lib/testing/serve-smtp.ts'
import { messageOf, NASTY } from '../testing/messages.ts'
import { buildMail } from './build-mail.ts'
import { sendMail } from './send-mail.ts'
import { parseSmtpUrl } from './smtp-server.ts'

const ADDRESSES = { from: 'steward@example.net', to: 'ada@example.org' }

const serverAt = (url: string) => {
  const server = parseSmtpUrl(url)
  if (!server.ok) throw server.error
  return server.value
}

const headersOf = (raw: string): string => raw.slice(0, raw.indexOf('\r\n\r\n') + 2)

describe('by a real server', () => {
  test('signs in and delivers, byte for byte', async () => {
    const { mails, url } = await serveSmtp()
    const mail = buildMail(messageOf({ title: 'Disk full', message: 'Füße\n.\nEnd' }), ADDRESSES)
    expect(await sendMail(mail, serverAt(url))).toMatchObject({ state: 'delivered' })
    expect(mails).toHaveLength(1)
    expect(mails[0]).toMatchObject({ from: 'steward@example.net', to: ['ada@example.org'] })
    expect(mails[0]?.raw).toBe(
      [
        'Auto-Submitted: auto-generated',
        'From: steward@example.net',
        'To: ada@example.org',
        'Subject: Disk full',
        'Message-ID: <16410032-86ea-4f84-a7bf-b394bd4fd89d@example.net>',
        'Date: Sun, 15 Nov 2026 08:00:00 +0000',
        'Content-Transfer-Encoding: quoted-printable',
        'MIME-Version: 1.0',
        'Content-Type: text/plain; charset=utf-8',
        '',
        'F=C3=BC=C3=9Fe',
        '.',
        'End',
        '',
      ].join('\r\n'),
    )
  })

  test('nothing in title or text becomes a header; 100 KB arrive complete', async () => {
    const { mails, url } = await serveSmtp()
    const text = `${NASTY}${'x'.repeat(100_000)}`
    const mail = buildMail(messageOf({ title: NASTY, message: text }), ADDRESSES)
    expect(await sendMail(mail, serverAt(url))).toMatchObject({ state: 'delivered' })
    expect(mails[0]?.to).toEqual(['ada@example.org'])
    expect(headersOf(mails[0]?.raw ?? '')).not.toMatch(/^(Bcc|X):/im)
    expect(mails[0]?.raw.replace(/=\r\n|\r\n/g, '').match(/x/g)?.length).toBeGreaterThanOrEqual(
      100_000,
    )
  })

  test('a wrong password is final and not shown', async () => {
    const { url } = await serveSmtp()
    const wrong = serverAt(url.replace('p%3Ass', 'hunter22'))
    const outcome = await sendMail(buildMail(messageOf(), ADDRESSES), wrong)
    expect(outcome).toMatchObject({ error: { code: 'not_configured', retryable: false } })
    expect(JSON.stringify(outcome)).not.toContain('hunter22')
  })

  test('a refused recipient is final; a server that is not there may come back', async () => {
    const { url } = await serveSmtp({ refuse: 'ada@example.org' })
    const mail = buildMail(messageOf(), ADDRESSES)
    expect(await sendMail(mail, serverAt(url))).toMatchObject({
      error: { code: 'rejected_content', message: expect.stringContaining('no such mailbox') },
    })
    expect(await sendMail(mail, serverAt('smtp://127.0.0.1:1'))).toMatchObject({
      error: { code: 'upstream_failed', retryable: true },
    })
  })
})

test.each([
  ['smtp://host', { host: 'host', port: 587, secure: false }],
  [
    'smtps://u%40x:p%3A@host',
    { host: 'host', port: 465, secure: true, auth: { user: 'u@x', pass: 'p:' } },
  ],
  ['smtp://[::1]:2525', { host: '::1', port: 2525, secure: false }],
])('%s', (url, server) => {
  expect(serverAt(url)).toEqual(server)
})

test.each(['', 'http://host', 'nonsense secret', 'smtp://', 'smtp://u:%zz-secret@host'])(
  '%j is refused without being repeated',
  (url) => {
    const refused = parseSmtpUrl(url)
    expect(refused).toMatchObject({ ok: false, error: { code: 'not_configured' } })
    if (!refused.ok) expect(refused.error.message).not.toContain('secret')
  },
)
