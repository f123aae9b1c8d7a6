import { createHash, createHmac } from 'node:crypto'
import { flowDestination, StewardError } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import { bytesOf } from '../webhook/hmac.ts'
import { verifyRequest } from '../webhook/schemes.ts'
import { classifyDeliveryFailure } from './classify-failure.ts'
import { createDiscordDelivery, createSlackDelivery } from './deliver-chat.ts'
import { createNoteDelivery, type FlowNote } from './deliver-note.ts'
import { createS3Delivery } from './deliver-s3.ts'
import { createWebhookDelivery } from './deliver-webhook.ts'
import type { Delivery } from './delivery.ts'

const SECRETS: Record<string, string> = {
  SIGNING: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  HOOK: 'https://hooks.example.com/T1/secret-part',
  NOT_A_URL: 'abc',
  KEY_ID: 'AKIDEXAMPLE',
  KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
}
const secret = (name: string) => SECRETS[name]
const NOW = new Date('2026-03-01T12:00:00Z')
const delivery: Delivery = {
  flow: { id: 'flow', name: 'F_TEST_FLOW' },
  item: { id: 'one', title: 'Ice & <fire>' },
  output: {
    summary: '## News\n\n**Bold** and [a link](https://example.com/?a=1&b=2) <!channel>',
    url: 'https://example.com/1',
  },
  again: false,
  now: NOW,
}

interface Sent {
  url: string
  headers: Headers
  body: string
}

/** Delivers to a receiver with one answer; returns what it got, and the receipt or the error. */
const deliverTo = async (given: object, answer: () => Response, what = delivery) => {
  const sent: Sent[] = []
  const fetch = async (input: string | URL | Request, init: RequestInit = {}) => {
    sent.push({ url: String(input), headers: new Headers(init.headers), body: String(init.body) })
    return answer()
  }
  const destination = flowDestination.parse(given)
  const run = () => {
    switch (destination.type) {
      case 'webhook':
        return createWebhookDelivery(fetch, secret)(destination, what)
      case 'slack':
        return createSlackDelivery(fetch, secret)(destination, what)
      case 'discord':
        return createDiscordDelivery(fetch, secret)(destination, what)
      case 's3':
        return createS3Delivery(fetch, secret)(destination, what)
      default:
        throw new Error(`not in this test: ${destination.type}`)
    }
  }
  const outcome = await run().catch((thrown: StewardError) => thrown)
  const [first = { url: '', headers: new Headers(), body: 'null' }] = sent
  return { ...first, outcome, count: sent.length }
}

const classOf = async (given: object, answer: () => Response) => {
  const { outcome } = await deliverTo(given, answer)
  return outcome instanceof StewardError ? classifyDeliveryFailure(outcome) : 'delivered'
}
const status = (code: number, body = '', headers: Record<string, string> = {}) =>
  new Response(body, { status: code, headers })

describe('webhook', () => {
  const webhook = { type: 'webhook', url: 'https://example.com/take', secret: 'SIGNING' }

  it('is signed as Standard Webhooks are, with an id that stays the same', async () => {
    const sent = await deliverTo(webhook, () => status(202))
    const header = (name: string) => sent.headers.get(name) ?? undefined
    const request = { body: bytesOf(sent.body), header }
    const scheme = { scheme: 'standard' } as const
    const key = SECRETS.SIGNING ?? ''
    expect(await verifyRequest(scheme, key, request, NOW.getTime())).toMatchObject({ ok: true })
    expect(header('webhook-id')).toBe(header('idempotency-key'))
    expect(JSON.parse(sent.body)).toMatchObject({ type: 'flow.item', data: { item: 'one' } })
    const later = { ...delivery, now: new Date('2026-03-02T12:00:00Z') }
    const again = await deliverTo(webhook, () => status(202), later)
    expect(again.headers.get('webhook-id')).toBe(header('webhook-id'))
  })

  it('is unsigned without a secret, and fails as its receiver says', async () => {
    const { secret: _, ...unsigned } = webhook
    const { headers } = await deliverTo(unsigned, () => status(200))
    expect(headers.has('webhook-signature')).toBe(false)
    expect(await classOf(webhook, () => status(410))).toBe('configuration')
    expect(await classOf(webhook, () => status(422))).toBe('rejected')
    expect(await classOf(webhook, () => status(503))).toBe('later')
    const missing = { ...webhook, secret: 'MISSING' }
    const { outcome, count } = await deliverTo(missing, () => status(200))
    expect([outcome, count]).toMatchObject([{ code: 'not_configured' }, 0])
  })
})

describe('slack', () => {
  const slack = { type: 'slack', secret: 'HOOK' }

  it('gets its own notation, and nothing in an item can mention people', async () => {
    const sent = await deliverTo(slack, () => status(200, 'ok'))
    expect(sent.url).toBe(SECRETS.HOOK)
    expect(JSON.parse(sent.body)).toEqual({
      text: '*<https://example.com/1|Ice &amp; &lt;fire&gt;>*\n\n*News*\n\n*Bold* and <https://example.com/?a=1&amp;b=2|a link> &lt;!channel&gt;',
    })
  })

  it('names its webhook only by the name of the secret', async () => {
    const { outcome } = await deliverTo(slack, () => status(404, 'no_service'))
    expect(String(outcome)).toMatch(/Slack answered status 404.*: no_service/)
    expect(String(outcome)).not.toContain('secret-part')
    expect(await classOf(slack, () => status(404))).toBe('configuration')
    expect(await classOf(slack, () => status(400, 'invalid_payload'))).toBe('rejected')
    expect(await classOf({ ...slack, secret: 'NOT_A_URL' }, () => status(200))).toBe(
      'configuration',
    )
  })
})

describe('discord', () => {
  it('gets an embed within its limits, and waits as long as it asks', async () => {
    const long = { ...delivery, output: { title: 't'.repeat(300), body: `${'x'.repeat(4094)}🎈y` } }
    const discord = { type: 'discord', secret: 'HOOK', message: '{body} @everyone' }
    const sent = await deliverTo(discord, () => status(200, '{"id":"m1"}'), long)
    expect(sent.url).toBe(`${SECRETS.HOOK}?wait=true`)
    const body = JSON.parse(sent.body)
    expect(body.allowed_mentions).toEqual({ parse: [] })
    expect(body.embeds[0].title).toHaveLength(256)
    expect(body.embeds[0].description).toBe(`${'x'.repeat(4094)}…`)
    expect(sent.outcome).toMatchObject({ message: 'm1' })
    const limited = () =>
      status(429, '{"message":"slow","retry_after":1.5}', { 'retry-after': '2' })
    expect((await deliverTo(discord, limited)).outcome).toMatchObject({
      code: 'rate_limited',
      details: { retryAfterSeconds: 2 },
    })
  })
})

describe('s3', () => {
  const s3 = {
    type: 's3',
    endpoint: 'https://s3.example.com/',
    bucket: 'my-bucket',
    region: 'eu-central-1',
    prefix: 'notes & more/',
    accessKeyId: 'KEY_ID',
    secretAccessKey: 'KEY',
  }
  const hmac = (key: string | Buffer, text: string) =>
    createHmac('sha256', key).update(text).digest()
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')

  /** The signature that a store computes from the request, by the documentation of AWS. */
  const signatureOf = ({ url, headers, body }: Sent, signedHeaders: string) => {
    const { pathname, host } = new URL(url)
    const get = (name: string) => (name === 'host' ? host : headers.get(name)?.trim())
    const lines = signedHeaders.split(';').map((name) => `${name}:${get(name)}\n`)
    const request = ['PUT', pathname, '', lines.join(''), signedHeaders, hash(body)].join('\n')
    const scope = '20260301/eu-central-1/s3/aws4_request'
    const text = ['AWS4-HMAC-SHA256', headers.get('x-amz-date'), scope, hash(request)].join('\n')
    const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${SECRETS.KEY}`)
    return { scope, signature: hmac(key, text).toString('hex') }
  }

  it('puts an object with a signature that covers its content', async () => {
    const sent = await deliverTo(s3, () => status(200, '', { etag: '"e"' }))
    const { pathname } = new URL(sent.url)
    expect(pathname).toMatch(/^\/my-bucket\/notes%20%26%20more\/[0-9a-f]{32}\.json$/)
    expect(sent.headers.get('x-amz-content-sha256')).toBe(hash(sent.body))
    const authorization = sent.headers.get('authorization') ?? ''
    const signed = /SignedHeaders=([^,]+)/.exec(authorization)?.[1] ?? ''
    const { scope, signature } = signatureOf(sent, signed)
    expect(signed.split(';')).toEqual(
      expect.arrayContaining(['host', 'x-amz-content-sha256', 'x-amz-date']),
    )
    expect(authorization).toContain(`Credential=AKIDEXAMPLE/${scope}`)
    expect(authorization).toContain(`Signature=${signature}`)
    expect(JSON.parse(sent.body)).toMatchObject({ flow: 'F_TEST_FLOW', item: 'one' })
  })

  it('writes readable text, and tells wrong settings from wrong items', async () => {
    const sent = await deliverTo({ ...s3, format: 'markdown' }, () => status(200))
    expect([sent.url.slice(-3), sent.body.slice(0, 15)]).toEqual(['.md', '## Ice & <fire>'])
    const answer = (code: number, name: string) => () =>
      status(code, `<Error><Code>${name}</Code></Error>`)
    expect(await classOf(s3, answer(403, 'SignatureDoesNotMatch'))).toBe('configuration')
    expect(await classOf(s3, answer(400, 'AuthorizationHeaderMalformed'))).toBe('configuration')
    expect(await classOf(s3, answer(400, 'EntityTooLarge'))).toBe('rejected')
    expect(await classOf(s3, answer(503, 'SlowDown'))).toBe('later')
  })
})

it('a note has a title of one line and says where it came from', async () => {
  const notes: FlowNote[] = []
  const deliver = createNoteDelivery(async (note) => ({ note: notes.push(note) }))
  const output = { title: 'A\n title', content: 'text', url: 'https://example.com/1' }
  await deliver({ type: 'note', domain: 'Ideas', tags: ['x'] }, { ...delivery, output })
  expect(notes).toMatchObject([
    {
      title: 'A title',
      body: '# A title\n\ntext\n',
      fields: { flow: 'F_TEST_FLOW', source: 'https://example.com/1' },
    },
  ])
})
