import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyText, messageOf, NASTY } from '../testing/messages.ts'
import { ownHeaders, serveHttp } from '../testing/serve-http.ts'
import { buildPush } from './build-push.ts'
import { encodeHeader } from './encode-header.ts'
import { addressOfPush, sendPush } from './send-push.ts'

const PORTS = {
  fetch: (address: string, init: RequestInit) => fetch(address, init),
  abortAfter: AbortSignal.timeout,
}
const TOPIC = 'steward-0123456789abcdef'

/** Decodes as RFC 2047 requires: the space between two encoded words is not part of the text. */
const decodeHeader = (value: string): string =>
  value
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?UTF-8\?B\?([\w+/=]*?)\?=/g, (_, base64: string) =>
      Buffer.from(base64, 'base64').toString(),
    )

const send = async (given: Parameters<typeof messageOf>[0] = {}, token?: string) => {
  const service = await serveHttp()
  const address = addressOfPush({ server: service.address, topic: TOPIC })
  if (!address.ok) throw address.error
  const target = { address: address.value, ...(token === undefined ? {} : { token }) }
  const outcome = await sendPush(messageOf(given), target, PORTS)
  const [post] = service.posts
  if (post === undefined) throw new Error('nothing came')
  return { outcome, post, service }
}

describe('the request', () => {
  test('byte for byte', async () => {
    const { outcome, post } = await send({ click: 'https://example.org/ä b' })
    expect(outcome).toEqual({ state: 'delivered', detail: 'HTTP 200' })
    expect([post.method, post.path]).toEqual(['POST', `/${TOPIC}`])
    expect(ownHeaders(post)).toEqual({
      'Content-Type': 'text/plain; charset=utf-8',
      Title: 'Error',
      Priority: '4',
      Tags: 'warning,x',
      Click: 'https://example.org/%C3%A4%20b',
      'X-Sequence-ID': '16410032-86ea-4f84-a7bf-b394bd4fd89d',
    })
    expect(post.body).toEqual(Buffer.from('It broke.'))
  })

  test('a title beyond ASCII is sent in encoded words, the text as UTF-8', async () => {
    const { post } = await send({ title: 'Grüße 👋', message: 'Füße\nund Hände', tags: [] })
    expect(ownHeaders(post)).toMatchObject({ Title: '=?UTF-8?B?R3LDvMOfZSDwn5GL?=' })
    expect(ownHeaders(post)).not.toHaveProperty('Tags')
    expect(post.body).toEqual(Buffer.from('Füße\nund Hände', 'utf8'))
  })

  test('quotes, shell syntax, breaks, emoji, right-to-left text: one header each, no other', async () => {
    const { outcome, post } = await send({ title: NASTY, message: NASTY, tags: [NASTY, 'a,b'] })
    expect(outcome.state).toBe('delivered')
    const names = Object.keys(ownHeaders(post))
    expect(names).toEqual(['Content-Type', 'Title', 'Priority', 'Tags', 'X-Sequence-ID'])
    const title = decodeHeader(ownHeaders(post).Title ?? '')
    expect(title).toContain('$(touch /tmp/x)')
    expect(title).toContain('👩‍👩‍👧‍👦 שלום')
    expect(title).not.toMatch(/[\r\n\0]/)
    expect(post.body.toString()).toContain('\nBcc: all@example.org\n\nX: y]0;title')
  })

  test('100 KB are cut to what ntfy shows as a message', async () => {
    const { post } = await send({ title: 'ü'.repeat(50_000), message: '👩‍👩‍👧‍👦'.repeat(4000) })
    expect(post.body.length).toBeLessThanOrEqual(4096)
    expect(post.body.toString()).toMatch(/^(👩‍👩‍👧‍👦)+…$/u)
    expect(decodeHeader(ownHeaders(post).Title ?? '')).toBe(`${'ü'.repeat(199)}…`)
  })

  test('a token is sent where there is one', async () => {
    const { post } = await send({}, 'tk_secret')
    expect(ownHeaders(post)).toMatchObject({ Authorization: 'Bearer tk_secret' })
  })

  test('a link that is not a web address is left out', () => {
    for (const click of ['javascript:alert(1)', 'x y', 'file:///etc/passwd', '']) {
      expect(buildPush(messageOf({ click })).headers).not.toHaveProperty('Click')
    }
  })

  test('the count is in the text', () => {
    expect(buildPush(messageOf({ count: 3 })).body).toBe('It broke.\n(3 times)')
  })
})

test('any title comes back out of its header, in words of at most 75 ASCII characters', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { Title = '' } = buildPush(messageOf({ title: text })).headers
      expect(Title).toMatch(/^[\x20-\x7e]*$/)
      const line = text.toWellFormed().slice(0, 150)
      const encoded = encodeHeader(line)
      for (const word of encoded === line ? [] : encoded.split(' ')) {
        expect(word.length).toBeLessThanOrEqual(75)
      }
      expect(decodeHeader(encoded)).toBe(line)
    }),
  )
})

describe('the address', () => {
  test.each([
    ['ntfy.sh', `https://ntfy.sh/${TOPIC}`],
    ['https://push.example.org/', `https://push.example.org/${TOPIC}`],
    ['http://10.0.0.2:8080/ntfy', `http://10.0.0.2:8080/ntfy/${TOPIC}`],
    ['push.example.org:8443', `https://push.example.org:8443/${TOPIC}`],
  ])('%s', (server, expected) => {
    const address = addressOfPush({ server, topic: TOPIC })
    expect(address.ok && address.value.href).toBe(expected)
  })

  test.each(['', 'ftp://host', 'https://u:p@host', 'https://host?x=1', 'a b'])(
    '%j is refused',
    (server) => {
      expect(addressOfPush({ server, topic: TOPIC })).toMatchObject({
        ok: false,
        error: { code: 'not_configured' },
      })
    },
  )
})
