import { createHmac } from 'node:crypto'
import { WEBHOOK_SCHEMES, type WebhookScheme } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { bytesOf } from './hmac.ts'
import { signRequest, verifyRequest } from './schemes.ts'

const verdict = async (
  scheme: WebhookScheme,
  secret: string,
  { body, headers, seconds }: { body: string; headers: Record<string, string>; seconds: number },
): Promise<string> => {
  const request = { body: bytesOf(body), header: (name: string) => headers[name] }
  const result = await verifyRequest({ scheme }, secret, request, seconds * 1000)
  return result.ok ? 'accepted' : `${result.error.code}: ${result.error.details.reason}`
}

describe('documented examples are accepted', () => {
  test('GitHub: Validating webhook deliveries', async () => {
    const signature = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    const headers = { 'x-hub-signature-256': `sha256=${signature}` }
    const call = { body: 'Hello, World!', headers, seconds: 0 }
    expect(await verdict('github', "It's a Secret to Everybody", call)).toBe('accepted')
  })

  test('Slack: Verifying requests', async () => {
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'
    const headers = {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    }
    const call = { body, headers, seconds: 1_531_420_618 }
    expect(await verdict('slack', '8f742231b10e8888abcd99yyyzzz85a5', call)).toBe('accepted')
  })

  test('Standard Webhooks: the example of the reference libraries', async () => {
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature':
        'v1a,AAAA v1,Zm9v v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v2,MzA5OjA=',
    }
    const call = { body: '{"test": 2432232314}', headers, seconds: 1_614_265_330 }
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    expect(await verdict('standard', secret, call)).toBe('accepted')
    expect(await verdict('standard', secret.slice(6), call)).toBe('accepted')
    expect(await verdict('standard', 'no base64!', call)).toContain('not_configured')
  })

  test('Stripe: Verify webhook signatures manually', async () => {
    const body = '{\n  "id": "evt_test_webhook",\n  "object": "event"\n}'
    const secret = 'whsec_test_secret'
    const signed = createHmac('sha256', secret).update(`1492774577.${body}`).digest('hex')
    const old = '6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39'
    const headers = { 'stripe-signature': `t=1492774577,v1=${old},v1=${signed},v0=${old}` }
    const call = { body, headers, seconds: 1_492_774_577 }
    expect(await verdict('stripe', secret, call)).toBe('accepted')
    const unsigned = { 'stripe-signature': `t=1492774577,v0=${signed}` }
    expect(await verdict('stripe', secret, { ...call, headers: unsigned })).toContain('must be')
  })
})

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const NOW = 1_763_280_000

const sign = async (scheme: WebhookScheme, body: string, seconds = NOW) => {
  const parts = { body: bytesOf(body), id: 'd-1', nowMs: seconds * 1000 }
  const signed = await signRequest({ scheme }, SECRET, parts)
  if (!signed.ok) throw signed.error
  return signed.value
}

describe.each(WEBHOOK_SCHEMES)('%s', (scheme) => {
  it('accepts what it signs, and refuses every changed byte, header and secret', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.nat(), async (body, at) => {
        const headers = await sign(scheme, body)
        const call = { body, headers, seconds: NOW }
        expect(await verdict(scheme, SECRET, call)).toBe('accepted')
        expect(await verdict(scheme, SECRET, { ...call, body: `${body} ` })).toContain('another')
        const other = SECRET.replace('MfKQ', 'MfKR')
        expect(await verdict(scheme, other, call)).toContain('another secret')
        const names = Object.keys(headers).filter((name) => name.includes('signature'))
        const name = names[0] ?? ''
        const text = headers[name] ?? ''
        // The last character of base64 has unused bits, so that another one changes nothing.
        const place = Math.max(text.length - 40, 0) + (at % 30)
        const digit = text[place] === '0' ? '1' : '0'
        const tampered = `${text.slice(0, place)}${digit}${text.slice(place + 1)}`
        const changed = { ...headers, [name]: tampered }
        expect(await verdict(scheme, SECRET, { ...call, headers: changed })).toContain('another')
      }),
      { numRuns: 30 },
    )
  })

  it('names a missing signature or secret', async () => {
    const call = { body: '{}', headers: {}, seconds: NOW }
    expect(await verdict(scheme, SECRET, call)).toContain('the signature header is missing')
    expect(await verdict(scheme, '', call)).toContain('not_configured: it is empty')
  })
})

it.each(['stripe', 'slack', 'standard'] as const)(
  '%s: refuses a stale request, one from the future, and a changed timestamp',
  async (scheme) => {
    const headers = await sign(scheme, '{}')
    const at = (seconds: number) => verdict(scheme, SECRET, { body: '{}', headers, seconds })
    expect(await at(NOW + 300)).toBe('accepted')
    expect(await at(NOW + 301)).toContain('301 seconds old')
    expect(await at(NOW - 300)).toBe('accepted')
    expect(await at(NOW - 301)).toContain('301 seconds ahead')
    const moved = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        value.replace(String(NOW), String(NOW + 600)),
      ]),
    )
    const replayed = { body: '{}', headers: moved, seconds: NOW + 600 }
    expect(await verdict(scheme, SECRET, replayed)).toContain('another secret')
  },
)
