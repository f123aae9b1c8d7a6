import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signWebhook, verifyWebhook } from './sign-webhook.ts'

const secret = fc.string({ minLength: 1, unit: 'binary' })
const body = fc.uint8Array({ maxLength: 500 }).map((bytes) => new Uint8Array(bytes))

const reasonFor = async (header: string | null | undefined) => {
  const result = await verifyWebhook('s3cret', '{"a":1}', header)
  return result.ok ? 'accepted' : `${result.error.code} ${result.error.message}`
}

test('the signature is the standard HMAC', async () => {
  await fc.assert(
    fc.asyncProperty(secret, body, async (key, bytes) => {
      const expected = createHmac('sha256', key).update(bytes).digest('hex')
      expect(await signWebhook(key, bytes)).toBe(`sha256=${expected}`)
      expect((await verifyWebhook(key, bytes, `sha256=${expected.toUpperCase()}`)).ok).toBe(true)
    }),
  )
})

test('text is signed as its UTF-8 bytes', async () => {
  const text = '{"title":"Überraschung 漢"}'
  const signature = await signWebhook('s3cret', text)
  expect(signature).toBe(await signWebhook('s3cret', new TextEncoder().encode(text)))
})

test('one changed byte, secret or digit is refused', async () => {
  await fc.assert(
    fc.asyncProperty(secret, body, fc.nat(), async (key, bytes, position) => {
      const signature = await signWebhook(key, bytes)
      const longer = new Uint8Array([...bytes, 32])
      const at = 7 + (position % 64)
      const digit = signature[at] === '0' ? '1' : '0'
      const changed = signature.slice(0, at) + digit + signature.slice(at + 1)
      const refused = await Promise.all([
        verifyWebhook(key, longer, signature),
        verifyWebhook(`${key}x`, bytes, signature),
        verifyWebhook(key, bytes, changed),
      ])
      for (const result of refused) {
        expect(result.ok ? 'accepted' : result.error.code).toBe('signature_invalid')
      }
    }),
  )
})

test('a refusal says what is wrong', async () => {
  for (const missing of [null, undefined, '', '  ']) {
    expect(await reasonFor(missing)).toContain('signature_invalid the webhook signature')
    expect(await reasonFor(missing)).toContain('the signature header is missing')
  }
  for (const malformed of ['abc', 'sha1=00', `sha256=${'0'.repeat(63)}`, `${'0'.repeat(64)}`]) {
    expect(await reasonFor(malformed)).toContain('must be sha256= and 64 hexadecimal digits')
  }
  expect(await reasonFor(`sha256=${'0'.repeat(64)}`)).toContain('another secret')
})

test('an empty secret is never accepted', async () => {
  const result = await verifyWebhook('', 'body', `sha256=${'0'.repeat(64)}`)
  expect(result.ok ? 'accepted' : result.error.code).toBe('not_configured')
  await expect(async () => signWebhook('', 'body')).rejects.toThrow('webhook secret')
})
