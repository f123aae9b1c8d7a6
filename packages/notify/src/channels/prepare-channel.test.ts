import { type ChannelName, settings } from '@steward/contract'
import { expect, test } from 'vitest'
import { type ChannelPorts, prepareChannel } from './prepare-channel.ts'
import { secretsOfChannels } from './secrets-of-channels.ts'
import { messageOf } from './testing/messages.ts'

const TOPIC = 'steward-0123456789'

/** Records what would be sent, without sending it. */
const createPorts = () => {
  const sent: unknown[] = []
  const ports: ChannelPorts = {
    fetch: async (address) => {
      sent.push(address)
      return new Response()
    },
    abortAfter: AbortSignal.timeout,
    platform: 'linux',
    home: { databases: '/nowhere' },
    runCommand: async (command) => {
      sent.push(command)
      return { kind: 'ended', code: 0, stderr: '' }
    },
    sendMail: async (mail, server) => {
      sent.push([mail.from, mail.to, server])
      return { state: 'delivered', detail: '' }
    },
  }
  return { sent, ports }
}

const trySend = async (name: ChannelName, notifications: object, environment = {}) => {
  const { sent, ports } = createPorts()
  const context = { settings: settings.parse({ notifications }), environment }
  const sender = prepareChannel(name, context, ports)
  if (!sender.ok) return sender.error.message
  await sender.value.send(messageOf())
  return sent[0]
}

test('push and chat, by their older names too; the newer wins', async () => {
  const ntfy = { enabled: true, topic: TOPIC, server: 'old.example.org' }
  expect(await trySend('push', { ntfy })).toBe(`https://old.example.org/${TOPIC}`)
  const push = { enabled: true, topic: TOPIC }
  expect(await trySend('push', { ntfy, push })).toBe(`https://ntfy.sh/${TOPIC}`)
  const discord = { enabled: true, webhook: 'https://discord.com/api/webhooks/1/${HOOK}' }
  expect(await trySend('chat', { discord }, { HOOK: 'x' })).toBe(
    'https://discord.com/api/webhooks/1/x',
  )
  const chat = { enabled: true, webhook: 'https://hooks.slack.com/services/T/B/x' }
  expect(await trySend('chat', { discord, chat })).toBe('https://hooks.slack.com/services/T/B/x')
})

test('email is sent from its recipient unless another sender is set', async () => {
  const email = { enabled: true, to: 'ada@example.org' }
  const server = { host: 'host', port: 587, secure: false }
  expect(await trySend('email', { email }, { SMTP_URL: 'smtp://host' })).toEqual([
    'ada@example.org',
    'ada@example.org',
    server,
  ])
})

test.each<[ChannelName, object, string]>([
  ['push', {}, 'push is not configured: run `steward notify --setup push`'],
  ['push', { push: { topic: TOPIC } }, 'push.enabled is false'],
  ['push', { push: { enabled: true } }, 'there is no topic'],
  ['chat', {}, 'set notifications.chat'],
  ['chat', { chat: { webhook: 'https://x' } }, 'chat.enabled is false'],
  ['chat', { chat: { enabled: true } }, 'chat.webhook is not set'],
  ['chat', { chat: { enabled: true, webhook: '${NOT_THERE}' } }, 'NOT_THERE is not set'],
  ['desktop', { desktop: { enabled: false } }, 'desktop.enabled is false'],
  ['email', {}, 'email.enabled is false'],
  ['email', { email: { enabled: true } }, 'email.to is not set'],
  ['email', { email: { enabled: true, to: 'a@example.org' } }, 'SMTP_URL is not set'],
])('%s with %j says what is missing', async (name, notifications, reason) => {
  expect(await trySend(name, notifications)).toContain(reason)
})

test("the channels' addresses and credentials count as secrets", () => {
  const notifications = {
    push: { topic: TOPIC },
    chat: { webhook: 'https://hooks.slack.com/services/${PATH_PART}' },
    email: { smtp: 'smtp://me:p%40ssword@host' },
  }
  const environment = { PATH_PART: 'T0/B0/secret' }
  const secrets = secretsOfChannels({ settings: settings.parse({ notifications }), environment })
  expect(Object.values(secrets)).toEqual(
    expect.arrayContaining([
      TOPIC,
      'https://hooks.slack.com/services/T0/B0/secret',
      '/services/T0/B0/secret',
      'p@ssword',
      'p%40ssword',
    ]),
  )
})
