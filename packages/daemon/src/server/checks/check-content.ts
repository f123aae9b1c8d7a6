import { StewardError } from '@steward/contract'

export interface ContentFacts {
  method: string
  contentType: string | undefined
  contentEncoding: string | undefined
  hasBody: boolean
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])
const JSON_TYPE = /^application\/json\s*(;|$)/i

/**
 * A form, or a script of another page that may not ask first, can only send text, forms and bytes;
 * JSON it cannot. Methods that it cannot send either need no type when they have no body.
 */
export const checkContent = (facts: ContentFacts): StewardError | undefined => {
  const { method, contentType, contentEncoding, hasBody } = facts
  // A stream that answers such a request would leave its body waiting for ever.
  if (READS.has(method) && hasBody) {
    return new StewardError('invalid_input', { subject: method, reason: 'it takes no body' })
  }
  if (READS.has(method)) return undefined
  if (!hasBody && method !== 'POST' && contentType === undefined) return undefined
  if (contentType === undefined || !JSON_TYPE.test(contentType)) {
    return new StewardError('unsupported_media_type', {
      found: contentType?.slice(0, SHOWN_CHARS) ?? 'of no stated type',
    })
  }
  if (contentEncoding === undefined || contentEncoding.toLowerCase() === 'identity')
    return undefined
  return new StewardError('unsupported_media_type', {
    found: `compressed (${contentEncoding.slice(0, SHOWN_CHARS)})`,
  })
}

const SHOWN_CHARS = 100
