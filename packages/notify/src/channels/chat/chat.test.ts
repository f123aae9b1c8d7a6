import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyText, messageOf, NASTY } from '../testing/messages.ts'
import { ownHeaders, serveHttp } from '../testing/serve-http.ts'
import { buildChat, formOfWebhook } from './build-chat.ts'
import { parseWebhook, sendChat } from './send-chat.ts'

const PORTS = {
  fetch: (address: string, init: RequestInit) => fetch(address, init),
  abortAfter: AbortSignal.timeout,
}

const send = async (path: string, given: Parameters<typeof messageOf>[0] = {}) => {
  const service = await serveHttp()
  const webhook = parseWebhook(service.address + path)
  if (!webhook.ok) throw webhook.error
  const outcome = await sendChat(messageOf(given), webhook.value, PORTS)
  const [post] = service.posts
  if (post === undefined) throw new Error('nothing came')
  return { outcome, post }
}

describe('Discord', () => {
  test('byte for byte', async () => {
    const { outcome, post } = await send('/api/webhooks/123/to-ken_', { title: 'Grüße' })
    expect(outcome.state).toBe('delivered')
    expect([post.method, post.path]).toEqual(['POST', '/api/webhooks/123/to-ken_'])
    expect(ownHeaders(post)).toEqual({ 'Content-Type': 'application/json' })
    expect(post.body.toString()).toBe(
      '{"embeds":[{"title":"Grüße","description":"It broke.","color":15548997,"timestamp":"2026-11-15T08:00:00.500Z"}],"allowed_mentions":{"parse":[]}}',
    )
  })

  test.each([
    ['taskComplete', 0x57f287],
    ['longTask', 0x57f287],
    ['backgroundAgent', 0x5865f2],
    ['error', 0xed4245],
    ['security', 0xfee75c],
    [null, 0x7289da],
  ] as const)('the colour of %s', (kind, color) => {
    expect(JSON.parse(buildChat(messageOf({ kind }), 'discord'))).toMatchObject({
      embeds: [{ color }],
    })
    const own = buildChat(messageOf({ kind, color: 0x00ff00 }), 'discord')
    expect(JSON.parse(own)).toMatchObject({ embeds: [{ color: 0x00ff00 }] })
  })

  test('any text stays within 256 and 4096 and arrives unchanged', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 500 }), (text, times) => {
        const message = messageOf({ title: text.repeat(times), message: text.repeat(times) })
        const { title, description } = JSON.parse(buildChat(message, 'discord')).embeds[0]
        expect(title.length).toBeLessThanOrEqual(256)
        expect(description.length).toBeLessThanOrEqual(4096)
        expect(title.isWellFormed() && description.isWellFormed()).toBe(true)
      }),
    )
  })
})

describe('Slack', () => {
  test('byte for byte', async () => {
    const { post } = await send('/services/T0/B0/xyz', { kind: 'security' })
    expect(post.body.toString()).toBe(
      '{"text":"Error","attachments":[{"color":"#fee75c","fallback":"Error","text":"It broke.","ts":1794729600}]}',
    )
  })

  test('untrusted text cannot mention people', async () => {
    const { post } = await send('/services/T0/B0/xyz', { message: `<!channel> ${NASTY}` })
    const { attachments } = JSON.parse(post.body.toString())
    expect(attachments[0].text).toContain('&lt;!channel&gt; it\'s "q" `id` $(touch /tmp/x)')
  })

  test('100 KB are cut', async () => {
    const { post } = await send('/services/T0/B0/xyz', { message: '<&>'.repeat(40_000) })
    expect(JSON.parse(post.body.toString()).attachments[0].text.length).toBeLessThan(40_000)
  })
})

test('a possible repeat is marked as such', () => {
  const footer = 'Sent again after an interruption: it may be here already.'
  const build = (form: 'discord' | 'slack') =>
    JSON.parse(buildChat(messageOf({ isRepeat: true }), form))
  expect(build('discord')).toMatchObject({ embeds: [{ footer: { text: footer } }] })
  expect(build('slack')).toMatchObject({ attachments: [{ footer }] })
})

test.each([
  ['https://discord.com/api/webhooks/1/x', 'discord'],
  ['https://ptb.discord.com/api/v10/webhooks/1/x', 'discord'],
  ['https://discordapp.com/api/webhooks/1/x', 'discord'],
  ['https://proxy.example.org/api/webhooks/1/x', 'discord'],
  ['https://discord.com/api/webhooks/1/x/slack', 'slack'],
  ['https://hooks.slack.com/services/T/B/x', 'slack'],
  ['https://mattermost.example.org/hooks/abc', 'slack'],
  ['https://notdiscord.com/hooks/abc', 'slack'],
])('%s takes the form of %s', (webhook, form) => {
  expect(formOfWebhook(new URL(webhook))).toBe(form)
})

test.each(['', 'hooks.slack.com/x', 'ftp://host/x', 'https://u:p@host/x'])(
  'the webhook %j is refused without being repeated',
  (text) => {
    const refused = parseWebhook(text)
    expect(refused).toMatchObject({ ok: false, error: { code: 'not_configured' } })
    if (!refused.ok && text !== '') expect(refused.error.message).not.toContain(text)
  },
)

test('a deleted webhook is reported with a remedy', async () => {
  const service = await serveHttp()
  service.answer = { status: 404 }
  const outcome = await sendChat(messageOf(), new URL(`${service.address}/api/webhooks/1/x`), PORTS)
  expect(outcome).toMatchObject({
    error: { message: expect.stringContaining('create a new one and set it'), retryable: false },
  })
})
